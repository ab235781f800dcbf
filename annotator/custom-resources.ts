// The controller's TCP resources, of which a cluster may not even have the definition.
import { Informer } from '../lib/informer.ts'
import type { Kube } from '../lib/kube.ts'
import { Index } from './index.ts'
import type { Route } from './routes.ts'
import { keepTCPResource, keysOfTCPResource, type TCPResource } from './tcp-routes.ts'

export interface TCPResourcesOptions {
  kube: Kube
  /** collections, such as `/apis/ingress.v3.haproxy.org/v3/tcps` */
  paths: readonly string[]
  enqueue: (key: string) => void
  onError: (error: Error) => void
}

export class TCPResources {
  /** by path */
  readonly informers: Readonly<Record<string, Informer<TCPResource>>>
  readonly #byKey: readonly Index<TCPResource>[]

  constructor({ kube, paths, enqueue, onError }: TCPResourcesOptions) {
    const found = paths.map((path) => {
      const index = new Index<TCPResource>(keysOfTCPResource, ({ name }) => name)
      const informer = new Informer<TCPResource>({
        kube,
        path,
        mayBeAbsent: true,
        project: keepTCPResource,
        onChange: (now, before) => {
          index.replace(now, before)
          for (const resource of [now, before]) if (resource) keysOfTCPResource(resource).forEach(enqueue)
        },
        onError,
      })
      return { path, index, informer }
    })
    this.informers = Object.fromEntries(found.map(({ path, informer }) => [path, informer]))
    this.#byKey = found.map(({ index }) => index)
  }

  routesTo(key: string): Route[] {
    const service = key.slice(key.indexOf('/') + 1)
    const resources = this.#byKey.flatMap((index) => [...index.get(key).values()])
    return resources.flatMap(({ routes }) => routes.filter((route) => route.service === service))
  }
}
