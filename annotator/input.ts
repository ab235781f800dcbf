// Everything that decides about one primary Service, as gathered from the caches.
import type { Endpoints, Pod, Service } from './objects.ts'
import type { Route } from './routes.ts'

export interface Zone {
  zone: string
  key: string
}

export interface Input {
  primary: Service
  /** what Ingresses of the controller's classes route to it */
  routes: readonly Route[]
  /** pods that opted in and that the primary's selector matches */
  pods: readonly Pod[]
  /** the primary's own */
  endpoints: readonly Endpoints[]
  /** by Node name; undefined where the Node has no zone */
  zoneOfNode: ReadonlyMap<string, string | undefined>
  /** zones that have Nodes, sorted by key */
  zones: readonly Zone[]
  /** all Services of the namespace by name */
  neighbours: ReadonlyMap<string, Service>
  /** our zonal Services of this primary */
  zonalServices: readonly Service[]
}
