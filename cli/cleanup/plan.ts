// Pure: what zonefirst wrote into a cluster, in the order in which it goes: annotations first, then (after the last HAProxy
// has reloaded) the zonal Services that their names stood for, then marks on pods and our own records.

import { leaseName } from '../../annotator/leader/lease-store.ts'
import { writtenOn } from '../../annotator/plan/dialects/all.ts'
import type { Dialect } from '../../annotator/plan/dialects/dialect.ts'
import { zonesConfigMapName } from '../../annotator/write/zones-config-map.ts'
import { type ApiRequest, type KubeObject, mergePatch } from '../../lib/kube.ts'
import {
  certsFieldManager,
  servesLabel,
  zonalServiceLabel,
  zoneAnnotation,
  zoneKeyAnnotation,
} from '../../lib/names.ts'
import type { Found } from '../reading.ts'
import type { CoreEvent, Snapshot } from '../snapshot.ts'

export type StepKind = 'annotation' | 'zonal-service' | 'pod' | 'record'

export interface Step {
  kind: StepKind
  /** such as `Service shop/web` */
  target: string
  /** what is taken away */
  what: string
  request: ApiRequest
}

export interface Remains {
  snapshot: Snapshot
  /** metadata of all pods, opted in or not any more */
  pods: readonly KubeObject[]
  /** zonefirst's own objects that are not part of its manifests */
  records: readonly { path: string; object: Found<KubeObject> }[]
}

export function cleanupSteps({ snapshot, pods, records }: Remains, dialects: readonly Dialect[]): Step[] {
  const annotations = snapshot.services.flatMap((service) => {
    const keys = Object.keys(writtenOn(service, dialects))
    if (keys.length === 0) return []
    const gone = Object.fromEntries(keys.map((key) => [key, null]))
    return [patch('annotation', 'Service', service, keys.join(' and '), { annotations: gone })]
  })
  const services = snapshot.services
    .filter(({ metadata }) => metadata.labels?.[zonalServiceLabel] !== undefined)
    .map((service) => deletion('zonal-service', 'Service', service, pathOf('services', service)))
  const marks = pods.flatMap((pod) => {
    const annotated = [zoneAnnotation, zoneKeyAnnotation].filter(
      (key) => pod.metadata.annotations?.[key] !== undefined,
    )
    const labelled = [servesLabel].filter((key) => pod.metadata.labels?.[key] !== undefined)
    if (annotated.length + labelled.length === 0) return []
    const nothing = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, null]))
    const metadata = { annotations: nothing(annotated), labels: nothing(labelled) }
    return [patch('pod', 'Pod', pod, [...annotated, ...labelled].join(' and '), metadata)]
  })
  const own = records.flatMap(({ path, object }) =>
    'value' in object ? [deletion('record', kindOf(path), object.value, path)] : [],
  )
  const events = snapshot.events.map((event: CoreEvent) =>
    deletion('record', 'Event', event, pathOf('events', event)),
  )
  return [...annotations, ...services, ...marks, ...own, ...events]
}

/** Objects that zonefirst's programs make for themselves. */
export function recordPaths(systemNamespace: string): string[] {
  return [
    `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases/${leaseName}`,
    `/api/v1/namespaces/${systemNamespace}/configmaps/${zonesConfigMapName}`,
    `/api/v1/namespaces/${systemNamespace}/secrets/zonefirst-webhook-ca`,
    `/api/v1/namespaces/${systemNamespace}/secrets/zonefirst-webhook-tls`,
  ]
}

/** A Secret that cert-manager made is its own. */
export function isOurRecord({ metadata, kind }: KubeObject, hasWebhook: boolean): boolean {
  if (kind !== 'Secret') return true
  return !hasWebhook && (metadata.managedFields ?? []).some(({ manager }) => manager === certsFieldManager)
}

function patch(kind: StepKind, name: string, object: KubeObject, what: string, metadata: object): Step {
  const { uid } = object.metadata
  const path = pathOf(kind === 'pod' ? 'pods' : 'services', object)
  return {
    kind,
    target: targetOf(name, object),
    what,
    request: { method: 'PATCH', path, contentType: mergePatch, body: { metadata: { uid, ...metadata } } },
  }
}

function deletion(kind: StepKind, name: string, object: KubeObject, path: string): Step {
  const body = { preconditions: { uid: object.metadata.uid } }
  return {
    kind,
    target: targetOf(name, object),
    what: 'the whole object',
    request: { method: 'DELETE', path, body },
  }
}

function pathOf(resource: string, { metadata }: KubeObject): string {
  return `/api/v1/namespaces/${metadata.namespace}/${resource}/${metadata.name}`
}

function targetOf(kind: string, { metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`
}

function kindOf(path: string): string {
  return path.includes('/leases/') ? 'Lease' : path.includes('/secrets/') ? 'Secret' : 'ConfigMap'
}
