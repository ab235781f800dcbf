// Writes what stamps.ts says of one pod, and tells of a proxy that comes by its stamp too late.
import { isConflict, isNotFound, type Kube, mergePatch } from '../lib/kube.ts'
import { fieldManager, servesLabel, zoneAnnotation, zoneKeyAnnotation } from '../lib/names.ts'
import { ignoring } from './apply.ts'
import type { Event } from './events.ts'
import type { PodWrite } from './stamps.ts'

export interface PodWriter {
  kube: Kube
  tell: (event: Event) => void
  /** Hears of each pod that came without a stamp, or with a wrong one, and has it now. */
  onBackfill?: () => void
}

/** A pod that is gone, or another by now, needs nothing. */
export async function writePod(
  { pod, zone, zoneKey, serves, late }: PodWrite,
  { kube, tell, onBackfill }: PodWriter,
): Promise<void> {
  const { namespace, name, uid } = pod
  const annotations = { [zoneAnnotation]: zone, [zoneKeyAnnotation]: zoneKey }
  await ignoring([isNotFound, isConflict], () =>
    kube.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${name}`,
      query: { fieldManager },
      contentType: mergePatch,
      body: { metadata: { uid, annotations, labels: { [servesLabel]: serves ?? null } } },
    }),
  )
  if (pod.zone !== zone || pod.zoneKey !== zoneKey) onBackfill?.()
  if (!late) return
  // a container reads it when it starts, and only then
  const has = pod.zoneKey === undefined ? 'no ZONE' : `the ZONE ${pod.zoneKey}`
  tell({
    regarding: { kind: 'Pod', namespace, name, uid },
    type: 'Warning',
    reason: 'StampedLate',
    message: `stamped with zone ${zone} after its start: it has ${has} until its container restarts`,
  })
}
