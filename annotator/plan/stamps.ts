// Pure: what is to be written on pods: the stamp, where the webhook could not give it (it was away, the Node had no zone
// yet) or its Node has another zone by now or none, and the zone that a pod serves, where it is not the one that its
// label says.
import { zoneKey } from '../../lib/zone.ts'
import type { Pod } from '../objects/objects.ts'
import type { Input } from './input.ts'

export interface PodWrite {
  kind: 'write-pod'
  pod: Pod
  /** both annotations; undefined: none */
  zone: string | undefined
  zoneKey: string | undefined
  /** the label; undefined: none */
  serves: string | undefined
}

/**
 * How the zone that a pod serves is chosen; `today` leaves what a pod's label says, and where it says nothing lets the pod
 * serve its own zone only if others do: in an open zone it would get all of its traffic.
 */
export type Serving = 'home' | 'today' | ReadonlyMap<string, string | undefined>

type ZoneOfNode = ReadonlyMap<string, string | undefined>

export function isStampedRight(pod: Pod, zoneOfNode: ZoneOfNode): boolean {
  const zone = zoneOfPod(pod, zoneOfNode)
  return zone !== undefined && pod.zone === zone && pod.zoneKey === zoneKey(zone)
}

/** Pods of which something has to change; `serving` decides by name, and pods that it doesn't name serve their own zone. */
export function podWrites(
  { pods, zoneOfNode, sharedPods }: Pick<Input, 'pods' | 'zoneOfNode' | 'sharedPods'>,
  serving: Serving,
): PodWrite[] {
  const served = new Set(pods.filter(({ ended }) => !ended).map(({ serves }) => serves))
  const servedBy = (pod: Pod, home: string, stamped: boolean): string | undefined => {
    if (typeof serving !== 'string') return serving.has(pod.name) ? serving.get(pod.name) : home
    // a stamp that was wrong, or missing, came with no label worth keeping
    if (!stamped) return home
    // the other Service decides, also that it serves none
    if (sharedPods.has(pod.name)) return pod.serves
    return serving === 'home' ? home : (pod.serves ?? (served.has(home) ? home : undefined))
  }
  return pods.flatMap((pod) => {
    const zone = zoneOfPod(pod, zoneOfNode)
    if (zone === undefined) return hasLostZone(pod, zoneOfNode) ? [withoutStamp(pod)] : []
    const key = zoneKey(zone)
    const stamped = isStampedRight(pod, zoneOfNode)
    const serves = servedBy(pod, key, stamped)
    if (stamped && serves === pod.serves) return []
    return [{ kind: 'write-pod', pod, zone, zoneKey: key, serves }]
  })
}

/** Its Node is known and has no zone any more. A Node that isn't known may come yet. */
function hasLostZone(pod: Pod, zoneOfNode: ZoneOfNode): boolean {
  const isStamped = [pod.zone, pod.zoneKey, pod.serves].some((value) => value !== undefined)
  return isStamped && pod.enabled && !pod.ended && zoneOfNode.has(pod.nodeName ?? '')
}

function withoutStamp(pod: Pod): PodWrite {
  return { kind: 'write-pod', pod, zone: undefined, zoneKey: undefined, serves: undefined }
}

/** The zone that a pod is in, as its Node says it; undefined where that isn't known or the pod has ended. */
function zoneOfPod(pod: Pod, zoneOfNode: ZoneOfNode): string | undefined {
  return pod.enabled && !pod.ended && pod.nodeName !== undefined ? zoneOfNode.get(pod.nodeName) : undefined
}
