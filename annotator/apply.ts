// Carries one write out. Everything is idempotent, and every write names the UID of what it was decided for, so that it
// can't hit an object of the same name that came later.
import { applyPatch, isConflict, isNotFound, type Kube, mergePatch } from '../lib/kube.ts'
import { fieldManager, servesLabel, zoneAnnotation, zoneKeyAnnotation } from '../lib/names.ts'
import type { Service } from './objects.ts'
import type { Write } from './plan.ts'
import type { PodWrite } from './stamps.ts'

export async function apply(kube: Kube, write: Write): Promise<void> {
  switch (write.kind) {
    case 'write-pod':
      await writePod(kube, write)
      return
    case 'apply-zonal-service':
      await kube.request({
        method: 'PATCH',
        path: servicePath(write.service),
        query: { fieldManager, force: true },
        contentType: applyPatch,
        body: write.service,
      })
      return
    case 'delete-zonal-service':
      await ignoring([isNotFound, isConflict], () =>
        kube.request({
          method: 'DELETE',
          path: servicePath(write.service),
          body: { preconditions: { uid: write.service.metadata.uid } },
        }),
      )
      return
    case 'set-annotation': {
      const { name, namespace, uid } = write.primary.metadata
      const annotations = { [write.key]: write.value }
      await kube.request({
        method: 'PATCH',
        path: servicePath(write.primary),
        query: { fieldManager },
        contentType: applyPatch,
        body: { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, uid, annotations } },
      })
      return
    }
    case 'remove-annotation':
      await ignoring([isNotFound], () =>
        kube.request({
          method: 'PATCH',
          path: servicePath(write.primary),
          query: { fieldManager },
          contentType: mergePatch,
          body: { metadata: { uid: write.primary.metadata.uid, annotations: { [write.key]: null } } },
        }),
      )
  }
}

/** A pod that is gone, or another by now, needs nothing. */
async function writePod(kube: Kube, { pod, zone, zoneKey, serves }: PodWrite): Promise<void> {
  const annotations = { [zoneAnnotation]: zone, [zoneKeyAnnotation]: zoneKey }
  await ignoring([isNotFound, isConflict], () =>
    kube.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`,
      query: { fieldManager },
      contentType: mergePatch,
      body: { metadata: { uid: pod.uid, annotations, labels: { [servesLabel]: serves ?? null } } },
    }),
  )
}

function servicePath({ metadata }: Service): string {
  return `/api/v1/namespaces/${metadata.namespace}/services/${metadata.name}`
}

async function ignoring(
  isExpected: readonly ((error: unknown) => boolean)[],
  call: () => Promise<unknown>,
): Promise<void> {
  try {
    await call()
  } catch (error) {
    if (!isExpected.some((test) => test(error))) throw error
  }
}
