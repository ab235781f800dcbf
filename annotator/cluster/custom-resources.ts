// The controller's own resources, of which a cluster may not even have the definitions: what TCP resources route to, and
// what Backend resources say.
import { Informer } from '../../lib/informer.ts'
import type { Kube } from '../../lib/kube.ts'
import type { Index } from '../objects/object-index.ts'
import type { Route } from '../objects/routes.ts'
import {
  keepTCPResource,
  keysOfTCPResource,
  routesOfTCPResources,
  type TCPResource,
} from '../objects/tcp-routes.ts'
import { type BackendResource, keepBackendResource } from '../plan/backend-resource.ts'
import type { CustomResourcePaths } from '../plan/dialects/dialect.ts'
import { tcpResourceIndex } from './indexes.ts'

export interface CustomResourcesOptions {
  kube: Kube
  paths: CustomResourcePaths
  enqueue: (key: string) => void
  /** Hears that a Backend resource changed: who refers to it isn't known here. */
  onBackend: () => void
  onError: (error: Error) => void
}

export class CustomResources {
  readonly #tcps: ReadonlyMap<string, Informer<TCPResource>>
  readonly #backends: ReadonlyMap<string, Informer<BackendResource>>
  readonly #tcpIndexes: readonly Index<TCPResource>[]

  constructor({ kube, paths, enqueue, onBackend, onError }: CustomResourcesOptions) {
    const common = { kube, mayBeAbsent: true, onError }
    const tcps = paths.tcps.map((path) => {
      const index = tcpResourceIndex()
      const onChange = (now: TCPResource | undefined, before: TCPResource | undefined) => {
        index.replace(now, before)
        for (const resource of [now, before]) if (resource) keysOfTCPResource(resource).forEach(enqueue)
      }
      return { path, index, informer: new Informer({ ...common, path, project: keepTCPResource, onChange }) }
    })
    this.#tcps = new Map(tcps.map(({ path, informer }) => [path, informer]))
    this.#tcpIndexes = tcps.map(({ index }) => index)
    this.#backends = new Map(
      paths.backends.map((path) => [
        path,
        new Informer({ ...common, path, project: keepBackendResource, onChange: onBackend }),
      ]),
    )
  }

  /** by path */
  get informers(): Readonly<Record<string, Informer<never>>> {
    return Object.fromEntries([...this.#tcps, ...this.#backends]) as never
  }

  routesTo(key: string): Route[] {
    return this.#tcpIndexes.flatMap((index) => routesOfTCPResources(index.get(key).values(), key))
  }

  /** The newest version has it, where several do. */
  backend(namespace: string, name: string): BackendResource | undefined {
    const found = [...this.#backends.values()].map((informer) => informer.get(namespace, name))
    return found.find((resource) => resource !== undefined)
  }
}
