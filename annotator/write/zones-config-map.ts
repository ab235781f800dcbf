// The list of zones as a ConfigMap, for the admission policy that keeps others off the names of zonal Services.
import { applyPatch, type Kube } from '../../lib/kube.ts'
import { fieldManager } from '../../lib/names.ts'
import type { Zone } from '../plan/input.ts'

export const zonesConfigMapName = 'zonefirst-zones'

export async function publishZones(kube: Kube, namespace: string, zones: readonly Zone[]): Promise<void> {
  await kube.request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}/configmaps/${zonesConfigMapName}`,
    query: { fieldManager, force: true },
    contentType: applyPatch,
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: zonesConfigMapName, namespace },
      data: Object.fromEntries(zones.map(({ zone, key }) => [key, zone])),
    },
  })
}
