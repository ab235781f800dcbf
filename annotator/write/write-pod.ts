// Writes what stamps.ts says of one pod.
import { undefinedWhere } from '../../lib/expected.ts'
import { isConflict, isNotFound, type Kube, mergePatch } from '../../lib/kube.ts'
import { fieldManager, servesLabel, zoneAnnotation, zoneKeyAnnotation } from '../../lib/names.ts'
import type { PodWrite } from '../plan/stamps.ts'

export interface PodWriter {
  kube: Kube
  /** Hears of each pod that came without a stamp, or with a wrong one, and has it now. */
  onBackfill?: () => void
}

/** A pod that is gone, or another by now, needs nothing. */
export async function writePod(
  { pod, zone, zoneKey, serves }: PodWrite,
  { kube, onBackfill }: PodWriter,
): Promise<void> {
  const { namespace, name, uid } = pod
  const annotations = { [zoneAnnotation]: zone ?? null, [zoneKeyAnnotation]: zoneKey ?? null }
  await undefinedWhere(
    [isNotFound, isConflict],
    kube.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${name}`,
      query: { fieldManager },
      contentType: mergePatch,
      body: { metadata: { uid, annotations, labels: { [servesLabel]: serves ?? null } } },
    }),
  )
  if (zone !== undefined && (pod.zone !== zone || pod.zoneKey !== zoneKey)) onBackfill?.()
}
