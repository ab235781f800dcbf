// Pure: a snapshot as the annotator sees a cluster, so that its own functions decide about it.
import type { ClusterView } from '../annotator/gather.ts'
import { Index } from '../annotator/index.ts'
import { zonesOf } from '../annotator/input.ts'
import { proxiesByZone, sharesOf } from '../annotator/load-guard/shares.ts'
import type { Endpoints, Ingress, Service } from '../annotator/objects.ts'
import * as objects from '../annotator/objects.ts'
import { selectorIndex } from '../annotator/selector.ts'
import { keyOf, keysOfEndpoints, keysOfIngress } from '../annotator/triggers.ts'
import { zonalServiceIndex } from '../annotator/zonal-services.ts'
import type { KubeObject } from '../lib/kube.ts'
import type { Snapshot } from './snapshot.ts'

export interface View extends ClusterView {
  allPods: readonly objects.Pod[]
}

export function viewOf(snapshot: Snapshot, configuredShares: ReadonlyMap<string, number>): View {
  const allPods = snapshot.pods.map(objects.keepPod)
  const zoneOfNode = new Map(snapshot.nodes.map(objects.keepNode).map(({ name, zone }) => [name, zone]))
  const proxies = proxiesByZone(allPods, zoneOfNode)
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
    // not in a snapshot
    tcpRoutes: () => [],
    customResources: { backend: () => undefined },
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
