// Pure: a snapshot as the annotator sees a cluster, so that its own functions decide about it.

import type { ClusterView } from '../annotator/cluster/gather.ts'
import { endpointsIndex, ingressIndex, serviceIndex, tcpResourceIndex } from '../annotator/cluster/indexes.ts'
import { proxiesByZone, sharesOf } from '../annotator/load-guard/shares.ts'
import { keyOf } from '../annotator/objects/key.ts'
import type { Index } from '../annotator/objects/object-index.ts'
import * as objects from '../annotator/objects/objects.ts'
import { selectorIndex } from '../annotator/objects/selector.ts'
import {
  keepTCPResource,
  routesOfTCPResources,
  routesOfTCPServices,
} from '../annotator/objects/tcp-routes.ts'
import { keepBackendResource } from '../annotator/plan/backend-resource.ts'
import { zonesOf } from '../annotator/plan/input.ts'
import { isTrusted } from '../annotator/plan/proxy-faults.ts'
import { zonalServiceIndex } from '../annotator/plan/zonal-services.ts'
import type { KubeObject } from '../lib/kube.ts'
import type { Installation } from './installation.ts'
import { zoneOfNodes } from './nodes.ts'
import type { Snapshot } from './snapshot.ts'

export interface View extends ClusterView {
  allPods: readonly objects.Pod[]
}

export function viewOf(
  snapshot: Snapshot,
  { zoneShares: configuredShares, proxyNamespaces }: Pick<Installation, 'zoneShares' | 'proxyNamespaces'>,
): View {
  const allPods = snapshot.pods.map(objects.keepPod)
  const zoneOfNode = zoneOfNodes(snapshot)
  const proxies = proxiesByZone(
    allPods.filter(({ namespace }) => isTrusted(namespace, proxyNamespaces)),
    zoneOfNode,
  )
  const tcpResources = filled(tcpResourceIndex(), snapshot.tcpResources.map(keepTCPResource))
  const backends = byName(snapshot.backendResources, keepBackendResource)
  return {
    services: byName(snapshot.services),
    pods: byName(snapshot.pods, objects.keepPod),
    ingressClasses: { values: () => snapshot.ingressClasses },
    servicesByNamespace: filled(serviceIndex(), snapshot.services),
    zonalServices: filled(zonalServiceIndex(), snapshot.services),
    endpointsByKey: filled(endpointsIndex(), snapshot.slices.map(objects.keepEndpoints)),
    ingressesByKey: filled(ingressIndex(), snapshot.ingresses),
    selectors: filled(selectorIndex(), snapshot.services),
    zoneOfNode,
    zones: zonesOf(zoneOfNode.values()),
    shares: sharesOf(configuredShares, proxies),
    proxies,
    controllerSettings: snapshot.controllerSettings,
    tcpRoutes: (key) => [
      ...routesOfTCPResources(tcpResources.get(key).values(), key),
      ...routesOfTCPServices(snapshot.tcpServices, key),
    ],
    customResources: { backend: (namespace, name) => backends.get(namespace, name) },
    allPods,
  }
}

function filled<T>(index: Index<T>, items: readonly T[]): Index<T> {
  for (const item of items) index.replace(item, undefined)
  return index
}

function byName<T extends KubeObject>(
  items: readonly T[],
): { get(namespace: string, name: string): T | undefined }
function byName<T>(
  items: readonly KubeObject[],
  keep: (object: KubeObject) => T,
): { get(namespace: string, name: string): T | undefined }
function byName(items: readonly KubeObject[], keep: (object: KubeObject) => unknown = (object) => object) {
  const found = new Map(
    items.map((item) => [keyOf(item.metadata.namespace ?? '', item.metadata.name ?? ''), keep(item)]),
  )
  return { get: (namespace: string, name: string) => found.get(keyOf(namespace, name)) }
}
