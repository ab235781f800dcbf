// Stops the annotator, which would write again what is taken away.
import { setTimeout as pause } from 'node:timers/promises'
import { type Kube, mergePatch } from '../../lib/kube.ts'
import { annotatorName } from '../installation.ts'
import { list } from '../reading.ts'

/** Scales it to 0, and resolves when none of its pods is left. */
export async function stopAnnotator(kube: Kube, systemNamespace: string, signal: AbortSignal): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${systemNamespace}/deployments/${annotatorName}`
  await kube.request({
    method: 'PATCH',
    path: `${path}/scale`,
    contentType: mergePatch,
    body: { spec: { replicas: 0 } },
  })
  const pods = `/api/v1/namespaces/${systemNamespace}/pods`
  const query = { labelSelector: `app.kubernetes.io/name=${annotatorName}` }
  while ((await list(kube, pods, { query })).length > 0) await pause(500, undefined, { signal })
}
