// Whether the cluster is as the annotator's pure planner wants it: everything is read anew, and a planner for whom all
// waiting times are over is asked what it would still write.
import { Caches } from '../../annotator/cluster/caches.ts'
import { gather } from '../../annotator/cluster/gather.ts'
import { keyOf } from '../../annotator/objects/key.ts'
import type { Service } from '../../annotator/objects/objects.ts'
import { desired } from '../../annotator/plan/desired.ts'
import { haproxytechCustomAnnotation as dialect } from '../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { plan, type Write } from '../../annotator/plan/plan.ts'
import { podWrites } from '../../annotator/plan/stamps.ts'
import { settings } from '../../annotator/settings.ts'
import type { Kube } from '../../lib/kube.ts'
import { zonalServiceLabel } from '../../lib/names.ts'

const classRule = { controller: dialect.controller, names: ['haproxy'], withoutClass: false }
const isRouted = ({ metadata }: Service) => metadata.annotations?.[dialect.annotation] !== undefined

/** One sentence for each thing that is not as it should be. */
export async function wrongByPlan(kube: Kube, routed: string): Promise<string[]> {
  const [keys, pods] = [new Set<string>(), new Set<string>()]
  const failure = Promise.withResolvers<never>()
  const caches = new Caches({
    kube,
    enqueue: (key) => keys.add(key),
    enqueuePod: (key) => pods.add(key),
    isRouted,
    configuredShares: new Map(),
    onZones() {},
    onError: failure.reject,
  })
  failure.promise.catch(() => {})
  try {
    await Promise.race([caches.start(), failure.promise])
    keys.clear()
    pods.clear()
    caches.enqueueEverything()
    return [
      ...[...keys].flatMap((key) => wrongWith(caches, key)),
      ...[...pods].flatMap((key) => wrongWithPod(caches, key)),
      ...strays(caches),
      ...(isRoutedByZone(caches, routed) ? [] : [`Service ${routed} is not routed by zone`]),
    ]
  } finally {
    caches.stop()
  }
}

function wrongWith(caches: Caches, key: string): string[] {
  const input = gather(caches, key, classRule, isRouted)
  if (input === undefined) return []
  const now = Date.now()
  const options = { bound: settings.loadBound.default, now, memory: { calledSince: 0 } }
  const value = input.primary.metadata.annotations?.[dialect.annotation]
  const { writes } = plan({
    input,
    desired: desired(input, dialect, options),
    written: value === undefined ? {} : { [dialect.annotation]: value },
    annotationKey: dialect.annotation,
    memory: { routableSince: 0 },
    now,
    graceTime: 0,
    releaseTime: 0,
  })
  return writes.map((write) => `Service ${key}: the planner wants ${describe(write)}`)
}

function wrongWithPod(caches: Caches, key: string): string[] {
  const [namespace = '', name = ''] = key.split('/')
  const pod = caches.pods.get(namespace, name)
  const lone = { pods: pod ? [pod] : [], zoneOfNode: caches.zoneOfNode, sharedPods: new Set<string>() }
  return podWrites(lone, 'home').map((write) => `pod ${key}: the planner wants ${describe(write)}`)
}

/** Zonal Services whose primary is gone: the garbage collector's to remove, and nobody else would see them. */
function strays({ services }: Caches): string[] {
  const all = [...services.values()]
  const uids = new Set(all.map(({ metadata }) => metadata.uid))
  return all
    .filter(({ metadata }) => metadata.labels?.[zonalServiceLabel] !== undefined)
    .filter(({ metadata }) => !metadata.ownerReferences?.some(({ uid }) => uids.has(uid)))
    .map(({ metadata }) => `Service ${keyOf(metadata.namespace ?? '', metadata.name ?? '')} has no primary`)
}

function isRoutedByZone(caches: Caches, key: string): boolean {
  const [namespace = '', name = ''] = key.split('/')
  const service = caches.services.get(namespace, name)
  return service !== undefined && isRouted(service)
}

function describe(write: Write): string {
  switch (write.kind) {
    case 'write-pod':
      return `pod ${write.pod.name} to serve ${write.serves ?? 'no zone'} in ${write.zone}`
    case 'apply-zonal-service':
    case 'delete-zonal-service':
      return `${write.kind} ${write.service.metadata.name}`
    default:
      return write.kind
  }
}
