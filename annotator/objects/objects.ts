// Pure: what the annotator's caches keep of each object. An object of another shape than the API's throws.
import type {
  V1Endpoint,
  V1EndpointSlice,
  V1Ingress,
  V1IngressClass,
  V1PodStatus,
  V1Service,
} from '@kubernetes/client-node'
import type { KubeObject } from '../../lib/kube.ts'
import {
  enabledLabel,
  endpointSliceServiceLabel,
  roleLabel,
  servesLabel,
  zoneAnnotation,
  zoneKeyAnnotation,
} from '../../lib/names.ts'
import { zoneOf } from '../../lib/zone.ts'
import { type ProxyPod, proxyPod } from './proxy-pod.ts'
import {
  demand,
  endpointSliceShape,
  ingressClassShape,
  ingressShape,
  nodeShape,
  podShape,
  serviceShape,
} from './shape.ts'

export type Service = V1Service & KubeObject
export type Ingress = V1Ingress & KubeObject
export type IngressClass = V1IngressClass & KubeObject

export interface Pod {
  namespace: string
  name: string
  uid: string
  labels: Readonly<Record<string, string>>
  enabled: boolean
  /** undefined while it is not bound */
  nodeName: string | undefined
  ended: boolean
  /** the stamp, as it is on the pod */
  zone: string | undefined
  zoneKey: string | undefined
  serves: string | undefined
  /** an ingress controller's, that takes traffic */
  isReadyProxy: boolean
  /** an ingress controller's, whether it takes traffic or not */
  proxy: ProxyPod | undefined
}

export interface Node {
  name: string
  zone: string | undefined
}

/** One EndpointSlice. */
export interface Endpoints {
  namespace: string
  name: string
  service: string
  /** names of ready pods */
  pods: readonly string[]
  /** names of pods that are not ready, or on their way out */
  unreadyPods: readonly string[]
  /** ready endpoints that are no pods */
  others: number
  /** port names as the Service has them ('' where it gives none) to the pods' port numbers */
  ports: Readonly<Record<string, number>>
}

export function keepService(object: KubeObject): Service {
  demand(serviceShape, object)
  return withoutManagedFields(object as Service)
}

export function keepIngress(object: KubeObject): Ingress {
  demand(ingressShape, object)
  return withoutManagedFields(object as Ingress)
}

export function keepIngressClass(object: KubeObject): IngressClass {
  demand(ingressClassShape, object)
  return withoutManagedFields(object as IngressClass)
}

export function keepNode(object: KubeObject): Node {
  demand(nodeShape, object)
  const { metadata } = object
  return { name: metadata.name ?? '', zone: zoneOf(metadata.labels) }
}

export function keepPod(object: KubeObject): Pod {
  demand(podShape, object)
  const { metadata, spec, status } = object as KubeObject & {
    spec?: { nodeName?: string }
    status?: V1PodStatus
  }
  const { labels = {}, annotations = {} } = metadata
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    labels,
    enabled: labels[enabledLabel] === 'true',
    nodeName: spec?.nodeName || undefined,
    ended: metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed'].includes(status?.phase ?? ''),
    zone: annotations[zoneAnnotation],
    zoneKey: annotations[zoneKeyAnnotation],
    serves: labels[servesLabel],
    isReadyProxy: labels[roleLabel] === 'proxy' && isReady(status),
    proxy: labels[roleLabel] === 'proxy' ? proxyPod(object) : undefined,
  }
}

export function keepEndpoints(object: KubeObject): Endpoints {
  demand(endpointSliceShape, object)
  const slice = object as V1EndpointSlice & KubeObject
  // A missing `ready` means ready, as the API defines it.
  const [ready, unready] = partition(slice.endpoints ?? [], ({ conditions }) => conditions?.ready !== false)
  const pods = podNames(ready)
  return {
    namespace: slice.metadata.namespace ?? '',
    name: slice.metadata.name ?? '',
    service: slice.metadata.labels?.[endpointSliceServiceLabel] ?? '',
    pods,
    unreadyPods: podNames(unready),
    others: ready.length - pods.length,
    ports: Object.fromEntries(
      (slice.ports ?? []).flatMap(({ name, port }) => (port === undefined ? [] : [[name ?? '', port]])),
    ),
  }
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

function isReady(status: V1PodStatus | undefined): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
}

function podNames(endpoints: readonly V1Endpoint[]): string[] {
  return endpoints.flatMap(({ targetRef }) => (targetRef?.kind === 'Pod' ? [targetRef.name ?? ''] : []))
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
