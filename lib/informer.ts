// List and watch of one kind of object, kept as a cache that is right again after any failure. It knows nothing of
// what the objects mean: `project` says what to keep of each, `onChange` hears what changed.
import {
  ApiError,
  acceptMetadata,
  acceptMetadataList,
  isGone,
  type Kube,
  type KubeObject,
  readAll,
} from './kube.ts'

export interface InformerOptions<T> {
  kube: Kube
  /** The collection, such as `/api/v1/pods`. */
  path: string
  query?: { labelSelector?: string; fieldSelector?: string }
  metadataOnly?: boolean
  /** What the cache keeps of an object: the less, the less memory. */
  project: (object: KubeObject) => T
  /** Called after the cache changed; `now` is undefined for a deletion. It must not throw. */
  onChange?: (now: T | undefined, before: T | undefined) => void
  /** Hears of every failure; the informer goes on by itself. */
  onError?: (error: Error) => void
  /** In milliseconds; tests have less patience. */
  timing?: Partial<typeof usualTiming>
}

interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  object: KubeObject & { code?: number; message?: string }
}

const pageSize = 500
const usualTiming = {
  firstRetry: 1_000,
  mostRetry: 30_000,
  // bookmarks come about once a minute: a watch that is silent for longer than this has lost its connection
  silenceLimit: 150_000,
}

export class Informer<T> {
  readonly #options: InformerOptions<T>
  readonly #timing: typeof usualTiming
  readonly #stopped = new AbortController()
  readonly #synced = Promise.withResolvers<void>()
  #cache = new Map<string, T>()
  #version: string | undefined
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
      const startedAt = Date.now()
      try {
        if (this.#version === undefined) await this.#list()
        await this.#watch()
        failures = 0
      } catch (error) {
        if (this.#stopped.signal.aborted) return
        if (isGone(error)) this.#version = undefined
        failures = Date.now() - startedAt > mostRetry ? 1 : failures + 1
        this.#options.onError?.(error as Error)
      }
      const wait = Math.min(firstRetry * 2 ** Math.max(failures - 1, 0), mostRetry)
      await this.#pause(startedAt + wait * (1 + Math.random() / 4) - Date.now())
    }
  }

  /** Also reconnects after a watch that ended well, but never more than once a second. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#stopped.signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.max(milliseconds, 0))
      this.#stopped.signal.addEventListener('abort', done)
    })
  }

  async #list(): Promise<void> {
    const { kube, path, query, metadataOnly, project } = this.#options
    const fresh = new Map<string, T>()
    let token: string | undefined
    let version: string | undefined
    do {
      const page = await kube.request<{
        metadata: { continue?: string; resourceVersion: string }
        items: KubeObject[] | null
      }>({
        method: 'GET',
        path,
        query: { ...query, limit: pageSize, continue: token },
        ...(metadataOnly && { accept: acceptMetadataList }),
        signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(60_000)]),
      })
      // an empty list of metadata has null
      for (const item of page.items ?? []) fresh.set(keyOf(item), project(item))
      token = page.metadata.continue
      version = page.metadata.resourceVersion
    } while (token)
    const before = this.#cache
    this.#cache = fresh
    this.#version = version
    this.#lastHeard = Date.now()
    this.#hasSynced = true
    for (const [key, object] of fresh) this.#options.onChange?.(object, before.get(key))
    for (const [key, object] of before) if (!fresh.has(key)) this.#options.onChange?.(undefined, object)
    this.#synced.resolve()
  }

  async #watch(): Promise<void> {
    const { kube, path, query, metadataOnly } = this.#options
    const silent = new AbortController()
    const timer = setTimeout(
      () => silent.abort(new Error(`watch of ${path} went silent`)),
      this.#timing.silenceLimit,
    )
    const request = {
      method: 'GET' as const,
      path,
      query: {
        ...query,
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: this.#version,
        // spread, so that not all watches end at once
        timeoutSeconds: Math.round(300 * (1 + Math.random())),
      },
      ...(metadataOnly && { accept: acceptMetadata }),
      signal: AbortSignal.any([this.#stopped.signal, silent.signal]),
    }
    try {
      const answer = await kube.stream(request)
      const status = answer.statusCode ?? 0
      if (status !== 200) throw new ApiError(request, status, await readAll(answer))
      answer.setEncoding('utf8')
      let rest = ''
      for await (const chunk of answer as AsyncIterable<string>) {
        timer.refresh()
        this.#lastHeard = Date.now()
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) this.#take(JSON.parse(line) as WatchEvent)
      }
    } catch (error) {
      throw silent.signal.aborted ? silent.signal.reason : error
    } finally {
      clearTimeout(timer)
    }
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      const request = { method: 'GET' as const, path: this.#options.path }
      throw new ApiError(request, object.code ?? 500, JSON.stringify(object))
    }
    this.#version = object.metadata.resourceVersion
    if (type === 'BOOKMARK') return
    const key = keyOf(object)
    const before = this.#cache.get(key)
    if (type === 'DELETED') {
      this.#cache.delete(key)
      this.#options.onChange?.(undefined, before)
    } else {
      const now = this.#options.project(object)
      this.#cache.set(key, now)
      this.#options.onChange?.(now, before)
    }
  }
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`
}
