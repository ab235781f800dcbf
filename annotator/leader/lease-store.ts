// One Lease in the API server. Updates carry the version that was read, so that of two only one can win.
import { undefinedWhere } from '../../lib/expected.ts'
import { isConflict, isNotFound, type Kube } from '../../lib/kube.ts'
import type { Lease, LeaseSpec } from './lease-record.ts'

/** In the namespace of the program. */
export const leaseName = 'zonefirst-annotator'

export interface LeaseStore {
  /** Undefined where there is none. */
  read(signal: AbortSignal): Promise<Lease | undefined>
  /** Creates it, or changes `before`; undefined where somebody else was quicker. */
  write(before: Lease | undefined, spec: LeaseSpec, signal: AbortSignal): Promise<Lease | undefined>
}

export function leaseStore(kube: Kube, namespace: string, name: string): LeaseStore {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
  const path = `${collection}/${name}`
  return {
    read: (signal) => undefinedWhere([isNotFound], kube.request<Lease>({ method: 'GET', path, signal })),
    write(before, spec, signal) {
      const body = before
        ? { ...before, spec }
        : { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec }
      const call = before
        ? kube.request<Lease>({ method: 'PUT', path, body, signal })
        : kube.request<Lease>({ method: 'POST', path: collection, body, signal })
      return undefinedWhere([isConflict, isNotFound], call)
    },
  }
}
