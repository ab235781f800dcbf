// Stops the annotator, which would write again what is taken away.
import { setTimeout as pause } from 'node:timers/promises'
import { type Kube, mergePatch } from '../../lib/kube.ts'
import { annotatorName, type Deployment, find } from '../snapshot.ts'

/** Scales it to 0, and resolves when none of its pods is left. */
export async function stopAnnotator(kube: Kube, systemNamespace: string, signal: AbortSignal): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${systemNamespace}/deployments/${annotatorName}`
  await kube.request({
    method: 'PATCH',
    path: `${path}/scale`,
    contentType: mergePatch,
    body: { spec: { replicas: 0 } },
  })
  for (;;) {
    const found = await find<Deployment>(kube, path)
    if (!('value' in found)) return
    const { metadata, status } = found.value
    const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
    if (isSeen && !status?.replicas && !(status?.terminatingReplicas ?? 0)) return
    await pause(500, undefined, { signal })
  }
}
