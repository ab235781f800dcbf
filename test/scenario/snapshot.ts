// What a namespace holds, without what every write changes: to see that nothing of ours is left.
import type { KubeObject } from '../../lib/kube.ts'
import type { Cluster } from '../cluster/cluster.ts'

/** Services in full, other kinds of the namespace that could be ours by name. */
export async function snapshot(cluster: Cluster, namespace: string): Promise<Record<string, unknown>> {
  const list = async (path: string) =>
    (await cluster.kube.request<{ items: KubeObject[] }>({ method: 'GET', path })).items
  const services = await list(`/api/v1/namespaces/${namespace}/services`)
  const others = await Promise.all(
    [
      `/api/v1/namespaces/${namespace}/configmaps`,
      `/api/v1/namespaces/${namespace}/secrets`,
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
    ].map(async (path) => [path, (await list(path)).map(({ metadata }) => metadata.name).sort()]),
  )
  return {
    ...Object.fromEntries(others),
    services: Object.fromEntries(
      services.map((service) => [service.metadata.name, withoutBookkeeping(service)]),
    ),
  }
}

function withoutBookkeeping(object: KubeObject): KubeObject {
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = object.metadata
  return { ...object, metadata }
}
