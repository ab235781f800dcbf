// Pure: a snapshot as the annotator sees a cluster, so that its own functions decide about it.
import { keepBackendResource } from '../annotator/backend-resource.ts'
import type { ClusterView } from '../annotator/gather.ts'
import { Index } from '../annotator/index.ts'
import { zonesOf } from '../annotator/input.ts'
import { proxiesByZone, sharesOf } from '../annotator/load-guard/shares.ts'
import type { Endpoints, Ingress, Service } from '../annotator/objects.ts'
import * as objects from '../annotator/objects.ts'
import { isTrusted } from '../annotator/proxy-faults.ts'
import { selectorIndex } from '../annotator/selector.ts'
import {
  keepTCPResource,
  keysOfTCPResource,
  routesOfTCPServices,
  type TCPResource,
} from '../annotator/tcp-routes.ts'
import { keyOf, keysOfEndpoints, keysOfIngress } from '../annotator/triggers.ts'
import { zonalServiceIndex } from '../annotator/zonal-services.ts'
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
  const tcpResources = filled(
    new Index<TCPResource>(keysOfTCPResource, ({ name }) => name),
    snapshot.tcpResources.map(keepTCPResource),
  )
  const backends = byName(snapshot.backendResources, keepBackendResource)
  return {
    services: byName(snapshot.services),
    pods: byName(snapshot.pods, objects.keepPod),
    ingressClasses: { values: () => snapshot.ingressClasses },
    servicesByNamespace: filled(
      new Index<Service>(
        ({ metadata }) => [metadata.namespace ?? ''],
        ({ metadata }) => metadata.name ?? '',
      ),
      snapshot.services,
    ),
    zonalServices: filled(zonalServiceIndex(), snapshot.services),
    endpointsByKey: filled(
      new Index<Endpoints>(keysOfEndpoints, ({ name }) => name),
      snapshot.slices.map(objects.keepEndpoints),
    ),
    ingressesByKey: filled(
      new Index<Ingress>(keysOfIngress, ({ metadata }) => metadata.name ?? ''),
      snapshot.ingresses,
    ),
    selectors: filled(selectorIndex(), snapshot.services),
    zoneOfNode,
    zones: zonesOf(zoneOfNode.values()),
    shares: sharesOf(configuredShares, proxies),
    proxies,
    controllerSettings: snapshot.controllerSettings,
    tcpRoutes: (key) => [
      ...[...tcpResources.get(key).values()].flatMap(({ routes }) =>
        routes.filter(({ service }) => key.endsWith(`/${service}`)),
      ),
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
