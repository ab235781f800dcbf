// What a namespace and a cluster hold, without what every write changes: to see that nothing of ours is left.
import type { KubeObject } from '../../lib/kube.ts'
import { servesLabel, zoneAnnotation, zoneKeyAnnotation } from '../../lib/names.ts'
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

/** Of all kinds and namespaces, Events aside. */
export async function namedZonefirst({ kubectl }: Cluster): Promise<string[]> {
  const resources = await kubectl('api-resources', '--verbs=list', '-o', 'name')
  const listable = resources
    .trim()
    .split('\n')
    .filter((name) => !/^(events|componentstatuses)\b/.test(name))
  const all = await kubectl('get', listable.join(','), '--all-namespaces', '-o', 'name')
  return all.split('\n').filter((line) => line.includes('zonefirst'))
}

/** Pods whose metadata has what zonefirst wrote, as `<namespace>/<name> <key>`. */
export async function marksOnPods({ kube }: Cluster): Promise<string[]> {
  const { items } = await kube.request<{ items: KubeObject[] }>({ method: 'GET', path: '/api/v1/pods' })
  return items.flatMap(({ metadata: { namespace, name, annotations, labels } }) =>
    [zoneAnnotation, zoneKeyAnnotation, servesLabel]
      .filter((key) => key in { ...annotations, ...labels })
      .map((key) => `${namespace}/${name} ${key}`),
  )
}

function withoutBookkeeping(object: KubeObject): KubeObject {
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = object.metadata
  return { ...object, metadata }
}
