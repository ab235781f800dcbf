// Everything that decides about one primary Service, as gathered from the caches.
import { zoneKey } from '../../lib/zone.ts'
import type { Endpoints, Ingress, Pod, Service } from '../objects/objects.ts'
import type { Route } from '../objects/routes.ts'
import type { BackendResource } from './backend-resource.ts'

export interface Zone {
  zone: string
  key: string
}

export interface Input {
  primary: Service
  /** Ingresses of the controller's classes that route to it */
  ingresses: readonly Ingress[]
  /** the ports that they route to */
  routes: readonly Route[]
  /** whether any Ingress does, of whatever class */
  hasIngress: boolean
  /** the ports that TCP resources route to, where the dialect reaches those */
  tcpRoutes: readonly Route[]
  /** the controller's Backend resources, by namespace and name */
  backendResource: (namespace: string, name: string) => BackendResource | undefined
  /** contents of the ingress controllers' own ConfigMaps, which hold for every Service that says nothing else */
  controllerSettings: readonly Readonly<Record<string, string>>[]
  /** pods that opted in and that the primary's selector matches */
  pods: readonly Pod[]
  /** the primary's own */
  endpoints: readonly Endpoints[]
  /** by Node name; undefined where the Node has no zone */
  zoneOfNode: ReadonlyMap<string, string | undefined>
  /** zones that have Nodes, sorted by key */
  zones: readonly Zone[]
  /** each zone's share of the traffic by key, adding up to 1; undefined while no proxy is ready */
  shares: ReadonlyMap<string, number> | undefined
  /** how many ready proxies each zone has, by key */
  proxies: ReadonlyMap<string, number>
  /** names of pods that another routed Service selects too */
  sharedPods: ReadonlySet<string>
  /** of these, the pods of Services that select other pods as well, or not all of these: they may not be lent */
  pinnedPods: ReadonlySet<string>
  /** all Services of the namespace by name */
  neighbours: ReadonlyMap<string, Service>
  /** our zonal Services of this primary */
  zonalServices: readonly Service[]
}

/** Each zone once, sorted by key; Nodes without a zone count for none. */
export function zonesOf(zonesOfNodes: Iterable<string | undefined>): Zone[] {
  const names = new Set([...zonesOfNodes].filter((zone) => zone !== undefined))
  return [...names].map((zone) => ({ zone, key: zoneKey(zone) })).sort((a, b) => (a.key < b.key ? -1 : 1))
}
