// Reads from the caches everything that decides about one primary Service.
import { enabledLabel, zonalServiceLabel } from '../../lib/names.ts'
import { keyOf } from '../objects/key.ts'
import type { Ingress, IngressClass, Pod, Service } from '../objects/objects.ts'
import { type ClassRule, isRoutedBy, type Route, routesOf } from '../objects/routes.ts'
import { servicesSelecting } from '../objects/selector.ts'
import type { Input } from '../plan/input.ts'
import type { Caches } from './caches.ts'

/** What is read of the caches: a reading of the cluster at one moment can stand in for them. */
export interface ClusterView
  extends Pick<
    Caches,
    | 'servicesByNamespace'
    | 'zonalServices'
    | 'endpointsByKey'
    | 'ingressesByKey'
    | 'zoneOfNode'
    | 'selectors'
    | 'zones'
    | 'shares'
    | 'controllerSettings'
    | 'proxies'
    | 'tcpRoutes'
  > {
  services: Pick<Caches['services'], 'get'>
  customResources: Pick<Caches['customResources'], 'backend'>
  pods: Pick<Caches['pods'], 'get'>
  ingressClasses: { values(): Iterable<IngressClass> }
}

/** Undefined where there is no such Service, it is on its way out, or it is a zonal one. */
export function gather(
  caches: ClusterView,
  key: string,
  rule: ClassRule,
  isRouted: (service: Service) => boolean,
): Input | undefined {
  const [namespace = '', name = ''] = key.split('/')
  const primary = caches.services.get(namespace, name)
  if (primary === undefined || primary.metadata.deletionTimestamp !== undefined) return undefined
  if (primary.metadata.labels?.[zonalServiceLabel] !== undefined) return undefined
  const endpoints = [...caches.endpointsByKey.get(key).values()]
  const podNames = new Set(endpoints.flatMap(({ pods, unreadyPods }) => [...pods, ...unreadyPods]))
  const pods = [...podNames]
    .map((pod) => caches.pods.get(namespace, pod))
    .filter((pod): pod is Pod => pod !== undefined)
  const ingresses = ingressesTo(caches, key, rule)
  return {
    primary,
    ingresses,
    routes: routesTo(primary, ingresses),
    hasIngress: caches.ingressesByKey.get(key).size > 0,
    tcpRoutes: caches.tcpRoutes(key),
    backendResource: (...which) => caches.customResources.backend(...which),
    pods,
    shares: caches.shares,
    controllerSettings: caches.controllerSettings,
    proxies: caches.proxies,
    ...sharing(caches, primary, pods, isRouted),
    endpoints,
    zoneOfNode: caches.zoneOfNode,
    zones: caches.zones,
    neighbours: caches.servicesByNamespace.get(namespace),
    zonalServices: [...caches.zonalServices.get(primary.metadata.uid ?? '').values()],
  }
}

/** Which of the pods other routed Services select too. */
function sharing(
  caches: ClusterView,
  { metadata: { namespace = '', name = '' } }: Service,
  pods: readonly Pod[],
  isRouted: (service: Service) => boolean,
): Pick<Input, 'sharedPods' | 'pinnedPods'> {
  const [sharedPods, pinnedPods] = [new Set<string>(), new Set<string>()]
  const readyPodsOf = (service: string) => {
    const slices = [...caches.endpointsByKey.get(keyOf(namespace, service)).values()]
    return new Set(slices.flatMap((slice) => slice.pods))
  }
  const own = readyPodsOf(name)
  // whether a Service's ready pods are just the same, so that both come to the same plan
  const isTwin = new Map<string, boolean>()
  for (const pod of pods) {
    for (const { metadata } of servicesSelecting(caches.selectors, pod).filter(isRouted)) {
      const other = metadata.name ?? ''
      if (other === name) continue
      const twin = isTwin.get(other) ?? readyPodsOf(other).symmetricDifference(own).size === 0
      isTwin.set(other, twin)
      sharedPods.add(pod.name)
      if (!twin) pinnedPods.add(pod.name)
    }
  }
  return { sharedPods, pinnedPods }
}

function ingressesTo(caches: ClusterView, key: string, rule: ClassRule): Ingress[] {
  const classes = [...caches.ingressClasses.values()]
  return [...caches.ingressesByKey.get(key).values()].filter((ingress) => isRoutedBy(rule, ingress, classes))
}

/** A Service that its own label takes in counts as routed at every port as well: by what, we can't see. */
function routesTo({ metadata, spec }: Service, ingresses: readonly Ingress[]): Route[] {
  const service = metadata.name ?? ''
  const isAsked = metadata.labels?.[enabledLabel] === 'true'
  const ports = isAsked ? (spec?.ports ?? []) : []
  return [
    ...ports.map(({ port }) => ({ service, port: { number: port }, standalone: undefined })),
    ...ingresses.flatMap(routesOf).filter((route) => route.service === service),
  ]
}
