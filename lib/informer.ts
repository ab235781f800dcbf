// List and watch of one kind of object, kept as a cache that is right again after any failure. It knows nothing of
// what the objects mean: `project` says what to keep of each, `onChange` hears what changed.
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { ApiError, isGone, isNotFound, type Kube, type KubeObject } from './kube.ts'
import { listPages } from './list-pages.ts'
import { type WatchEvent, watch } from './watch.ts'

export interface InformerOptions<T> {
  kube: Kube
  /** The collection, such as `/api/v1/pods`. */
  path: string
  query?: { labelSelector?: string; fieldSelector?: string }
  metadataOnly?: boolean
  /** The cluster may not know the kind: then there are no such objects, and now and then it is asked again. */
  mayBeAbsent?: boolean
  /** What the cache keeps of an object: the less, the less memory. */
  project: (object: KubeObject) => T
  /** Called after the cache changed; `now` is undefined for a deletion. Where it throws, the object is left out. */
  onChange?: (now: T | undefined, before: T | undefined) => void
  /** Hears of every failure; the informer goes on by itself. */
  onError?: (error: Error) => void
  /** In milliseconds; tests have less patience. */
  timing?: Partial<typeof usualTiming>
}

const initialEventsEnd = 'k8s.io/initial-events-end'
const usualTiming = {
  firstRetry: 1_000,
  mostRetry: 30_000,
  // see watch.ts
  silenceLimit: 150_000,
}

export class Informer<T> {
  readonly #options: InformerOptions<T>
  readonly #timing: typeof usualTiming
  readonly #stopped = new AbortController()
  readonly #synced = Promise.withResolvers<void>()
  readonly #cache = new Map<string, T>()
  /** What the watch goes on from; undefined while a list is needed. */
  #version: string | undefined
  /** While a watch begins with a list: what it had so far. */
  #seen: Set<string> | undefined
  #canStream = true
  #lastHeard = 0
  #hasSynced = false

  constructor(options: InformerOptions<T>) {
    this.#options = options
    this.#timing = { ...usualTiming, ...options.timing }
  }

  start(): void {
    void this.#run()
  }

  stop(): void {
    this.#stopped.abort()
  }

  /** Resolves after the first whole list. */
  synced(): Promise<void> {
    return this.#synced.promise
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** When the API server was last heard of, as Date.now() has it; 0 before the first list. */
  get lastHeard(): number {
    return this.#lastHeard
  }

  /** Cluster-wide kinds have the namespace ''. */
  get(namespace: string, name: string): T | undefined {
    return this.#cache.get(`${namespace}/${name}`)
  }

  values(): IterableIterator<T> {
    return this.#cache.values()
  }

  get size(): number {
    return this.#cache.size
  }

  async #run(): Promise<void> {
    const { firstRetry, mostRetry } = this.#timing
    let failures = 0
    while (!this.#stopped.signal.aborted) {
      const startedAt = performance.now()
      try {
        if (this.#version === undefined && !this.#canStream) await this.#list()
        await this.#watch()
        failures = 0
      } catch (error) {
        if (this.#stopped.signal.aborted) return
        if (isGone(error)) this.#version = undefined
        if (this.#version === undefined && this.#canStream && isRefused(error)) {
          this.#canStream = false
          continue
        }
        failures = performance.now() - startedAt > mostRetry ? 1 : failures + 1
        if (this.#options.mayBeAbsent && isNotFound(error)) {
          this.#lastHeard = Date.now()
          this.#endList(new Set(), undefined)
        } else this.#options.onError?.(error as Error)
      }
      // also after a watch that ended well: never more than one request a second
      const delay = Math.min(firstRetry * 2 ** Math.max(failures - 1, 0), mostRetry)
      const left = startedAt + delay * (1 + Math.random() / 4) - performance.now()
      await wait(Math.max(left, 0), undefined, { signal: this.#stopped.signal }).catch(() => {})
    }
  }

  async #list(): Promise<void> {
    const seen = new Set<string>()
    let version: string | undefined
    for await (const page of listPages({ ...this.#options, signal: this.#stopped.signal })) {
      this.#lastHeard = Date.now()
      for (const item of page.items) {
        if (!this.#isNamed(item)) continue
        seen.add(keyOf(item))
        this.#keep(item)
      }
      version = page.version
    }
    this.#endList(seen, version)
  }

  /** What the list doesn't have was deleted meanwhile. */
  #endList(seen: ReadonlySet<string>, version: string | undefined): void {
    for (const key of this.#cache.keys()) if (!seen.has(key)) this.#drop(key)
    this.#version = version
    this.#hasSynced = true
    this.#synced.resolve()
  }

  /** Begins with all objects where no version is known yet, and goes on with what changes. */
  async #watch(): Promise<void> {
    const version = this.#version
    this.#seen = version === undefined ? new Set() : undefined
    const { silenceLimit } = this.#timing
    const { signal } = this.#stopped
    for await (const events of watch({ ...this.#options, version, silenceLimit, signal })) {
      this.#lastHeard = Date.now()
      for (const event of events) this.#take(event)
    }
  }

  #take({ type, object }: WatchEvent): void {
    if (type !== 'BOOKMARK' && !this.#isNamed(object)) return
    const { resourceVersion, annotations } = object.metadata
    if (type === 'BOOKMARK') {
      if (this.#seen === undefined) this.#version = resourceVersion
      else if (annotations?.[initialEventsEnd] === 'true') {
        this.#endList(this.#seen, resourceVersion)
        this.#seen = undefined
      }
      return
    }
    // until the list is whole, there is no version to go on from
    if (this.#seen === undefined) this.#version = resourceVersion
    else this.#seen.add(keyOf(object))
    if (type === 'DELETED') this.#drop(keyOf(object))
    else this.#keep(object)
  }

  /** One that can't be read is told and left out, as if it weren't there: it must not keep the others from being known. */
  #keep(object: KubeObject): void {
    const { project, onChange, onError, path } = this.#options
    const key = keyOf(object)
    const before = this.#cache.get(key)
    try {
      const now = project(object)
      if (before !== undefined && isDeepStrictEqual(now, before)) return
      this.#cache.set(key, now)
      onChange?.(now, before)
    } catch (error) {
      this.#cache.delete(key)
      onError?.(new Error(`${key} of ${path} is left out, it can't be read: ${error}`, { cause: error }))
      if (before !== undefined) onChange?.(undefined, before)
    }
  }

  #isNamed(object: KubeObject | null): boolean {
    const isNamed = typeof object?.metadata?.name === 'string' && object.metadata.name !== ''
    if (!isNamed)
      this.#options.onError?.(new Error(`an object of ${this.#options.path} has no name: it is left out`))
    return isNamed
  }

  #drop(key: string): void {
    const before = this.#cache.get(key)
    this.#cache.delete(key)
    this.#options.onChange?.(undefined, before)
  }
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`
}

/** As API servers answer that can't stream a list, or are told not to. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 422)
}
