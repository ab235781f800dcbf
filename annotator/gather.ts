// Reads from the caches everything that decides about one primary Service.
import { enabledLabel, zonalServiceLabel } from '../lib/names.ts'
import type { Caches } from './caches.ts'
import type { Input } from './input.ts'
import type { Pod, Service } from './objects.ts'
import { type ClassRule, isRoutedBy, type Route, routesOf } from './routes.ts'

/** Undefined where there is no such Service, it is on its way out, or it is a zonal one. */
export function gather(caches: Caches, key: string, rule: ClassRule): Input | undefined {
  const [namespace = '', name = ''] = key.split('/')
  const primary = caches.services.get(namespace, name)
  if (primary === undefined || primary.metadata.deletionTimestamp !== undefined) return undefined
  if (primary.metadata.labels?.[zonalServiceLabel] !== undefined) return undefined
  const endpoints = [...caches.endpointsByKey.get(key).values()]
  const podNames = new Set(endpoints.flatMap(({ pods, unreadyPods }) => [...pods, ...unreadyPods]))
  return {
    primary,
    routes: routesTo(caches, key, primary, rule),
    pods: [...podNames]
      .map((pod) => caches.pods.get(namespace, pod))
      .filter((pod): pod is Pod => pod !== undefined),
    endpoints,
    zoneOfNode: caches.zoneOfNode,
    zones: caches.zones,
    neighbours: caches.servicesByNamespace.get(namespace),
    zonalServices: [...caches.zonalServices.get(primary.metadata.uid ?? '').values()],
  }
}

/** A Service that its own label takes in counts as routed at every port: by what, we can't see. */
function routesTo(caches: Caches, key: string, primary: Service, rule: ClassRule): Route[] {
  if (primary.metadata.labels?.[enabledLabel] === 'true') {
    return (primary.spec?.ports ?? []).map(({ port }) => ({
      service: primary.metadata.name ?? '',
      port: { number: port },
      standalone: undefined,
    }))
  }
  const classes = [...caches.ingressClasses.values()]
  return [...caches.ingressesByKey.get(key).values()]
    .filter((ingress) => isRoutedBy(rule, ingress, classes))
    .flatMap(routesOf)
    .filter(({ service }) => service === primary.metadata.name)
}
