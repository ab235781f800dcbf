// The ingress controllers' own ConfigMaps, each watched by itself: no account needs to read all ConfigMaps for it.
import { Informer } from '../../lib/informer.ts'
import type { Kube, KubeObject } from '../../lib/kube.ts'
import { configMapShape, demand } from '../objects/shape.ts'

export interface ConfigMapsOptions {
  kube: Kube
  /** Hears that the contents may have changed. */
  onChange: () => void
  onError: (error: Error) => void
}

type Content = Readonly<Record<string, string>>

export class ConfigMaps {
  readonly #options: ConfigMapsOptions
  readonly #informers = new Map<string, Informer<Content>>()
  readonly #unread = new Set<string>()

  constructor(options: ConfigMapsOptions) {
    this.#options = options
  }

  /** From now on those of these names, `namespace/name`, are watched, and no others. */
  follow(names: ReadonlySet<string>): void {
    for (const [name, informer] of this.#informers) {
      if (names.has(name)) continue
      informer.stop()
      this.#informers.delete(name)
      this.#unread.delete(name)
      this.#options.onChange()
    }
    for (const name of names) if (!this.#informers.has(name)) this.#start(name)
  }

  /** Contents of those that exist. */
  get contents(): readonly Content[] {
    return [...this.#informers.values()].flatMap((informer) => [...informer.values()])
  }

  /** Whether one of them was asked for in vain, and never read. */
  isUnread(name: string): boolean {
    return this.#unread.has(name)
  }

  stop(): void {
    for (const informer of this.#informers.values()) informer.stop()
  }

  #start(key: string): void {
    const { kube, onChange, onError } = this.#options
    const [namespace, name] = key.split('/')
    const informer: Informer<Content> = new Informer({
      kube,
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      query: { fieldSelector: `metadata.name=${name}` },
      project: contentOf,
      onChange,
      onError: (error) => {
        onError(error)
        if (informer.hasSynced || this.#unread.has(key)) return
        this.#unread.add(key)
        onChange()
      },
    })
    this.#informers.set(key, informer)
    informer.start()
    void informer.synced().then(() => {
      if (this.#unread.delete(key)) onChange()
    })
  }
}

function contentOf(object: KubeObject): Content {
  demand(configMapShape, object)
  return (object as KubeObject & { data?: Content }).data ?? {}
}
