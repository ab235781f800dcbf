// Carries one write out. Everything is idempotent, and every write names the UID of what it was decided for, so that it
// can't hit an object of the same name that came later.
import { undefinedWhere } from '../../lib/expected.ts'
import { applyPatch, isConflict, isNotFound, type Kube, mergePatch } from '../../lib/kube.ts'
import { fieldManager } from '../../lib/names.ts'
import type { Service } from '../objects/objects.ts'
import type { ServiceWrite } from '../plan/plan.ts'

/** Resolves to the object as it is after an apply. */
export async function apply(kube: Kube, write: ServiceWrite): Promise<Service | undefined> {
  switch (write.kind) {
    case 'apply-zonal-service':
      return kube.request<Service>({
        method: 'PATCH',
        path: servicePath(write.service),
        query: { fieldManager, force: true },
        contentType: applyPatch,
        body: write.service,
      })
    case 'delete-zonal-service':
      await undefinedWhere(
        [isNotFound, isConflict],
        kube.request({
          method: 'DELETE',
          path: servicePath(write.service),
          body: { preconditions: { uid: write.service.metadata.uid } },
        }),
      )
      return undefined
    case 'set-annotation': {
      const { name, namespace, uid } = write.primary.metadata
      const annotations = { [write.key]: write.value }
      return kube.request<Service>({
        method: 'PATCH',
        path: servicePath(write.primary),
        query: { fieldManager },
        contentType: applyPatch,
        body: { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, uid, annotations } },
      })
    }
    case 'remove-annotation':
      await undefinedWhere(
        [isNotFound],
        kube.request({
          method: 'PATCH',
          path: servicePath(write.primary),
          query: { fieldManager },
          contentType: mergePatch,
          body: { metadata: { uid: write.primary.metadata.uid, annotations: { [write.key]: null } } },
        }),
      )
      return undefined
  }
}

function servicePath({ metadata }: Service): string {
  return `/api/v1/namespaces/${metadata.namespace}/services/${metadata.name}`
}
