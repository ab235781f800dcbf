// Pure: stamps that the webhook could not give (it was away, the Node had no zone yet, the API server copies no
// labels), and what the pods' `serves` labels are to say.
import { roleLabel } from '../lib/names.ts'
import { zoneKey } from '../lib/zone.ts'
import type { Pod } from './objects.ts'

export interface Stamp {
  pod: Pod
  zone: string
  /** the zone key, also the one that the pod serves */
  key: string
  /** A proxy reads its zone when its container starts: it runs without until it restarts. */
  late: boolean
}

/** The zone that a pod is in, as its Node says it; undefined where that isn't known or the pod has ended. */
function truth(pod: Pod, zoneOfNode: ReadonlyMap<string, string | undefined>): string | undefined {
  return pod.enabled && !pod.ended && pod.nodeName !== undefined ? zoneOfNode.get(pod.nodeName) : undefined
}

export function isStampedRight(pod: Pod, zoneOfNode: ReadonlyMap<string, string | undefined>): boolean {
  const zone = truth(pod, zoneOfNode)
  if (zone === undefined) return false
  const key = zoneKey(zone)
  return pod.zone === zone && pod.zoneKey === key && pod.serves === key
}

export function missingStamps(
  pods: readonly Pod[],
  zoneOfNode: ReadonlyMap<string, string | undefined>,
): Stamp[] {
  return pods.flatMap((pod) => {
    const zone = truth(pod, zoneOfNode)
    if (zone === undefined || isStampedRight(pod, zoneOfNode)) return []
    const late = pod.labels[roleLabel] === 'proxy' && pod.zoneKey !== zoneKey(zone)
    return [{ pod, zone, key: zoneKey(zone), late }]
  })
}
