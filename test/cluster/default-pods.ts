// Pods of the namespace `default`, as tests of the kubelet look at them.
import type { V1Pod } from '@kubernetes/client-node'
import type { Cluster } from './cluster.ts'

export function defaultPods({ kube, until }: Pick<Cluster, 'kube' | 'until'>) {
  const read = (name: string) =>
    kube.request<V1Pod>({ method: 'GET', path: `/api/v1/namespaces/default/pods/${name}` })
  return {
    read,
    /** Resolves to the pod when it is ready. */
    running: (name: string) =>
      until(`pod ${name} is ready`, async () => {
        const found = await read(name)
        const { conditions } = found.status ?? {}
        return conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') && found
      }),
  }
}
