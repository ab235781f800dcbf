// Writes the stamps that are missing, and tells of proxies that come by theirs too late. Which are missing is stamps.ts's
// to say.
import type { Kube } from '../lib/kube.ts'
import { applyStamp } from './apply.ts'
import type { Event } from './events.ts'
import type { Pod } from './objects.ts'
import { missingStamps } from './stamps.ts'

export interface StampingOptions {
  kube: Kube
  /** by Node name; undefined where the Node has no zone */
  zoneOfNode: ReadonlyMap<string, string | undefined>
  tell: (event: Event) => void
}

export async function stampPods(
  pods: readonly Pod[],
  { kube, zoneOfNode, tell }: StampingOptions,
): Promise<void> {
  for (const stamp of missingStamps(pods, zoneOfNode)) {
    await applyStamp(kube, stamp)
    if (!stamp.late) continue
    const { namespace, name, uid, zoneKey } = stamp.pod
    // a container reads it when it starts, and only then
    const has = zoneKey === undefined ? 'no ZONE' : `the ZONE ${zoneKey}`
    tell({
      regarding: { kind: 'Pod', namespace, name, uid },
      type: 'Warning',
      reason: 'StampedLate',
      message: `stamped with zone ${stamp.zone} after its start: it has ${has} until its container restarts`,
    })
  }
}
