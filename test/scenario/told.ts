// What the installed annotator tells people: Events on the Service "web", and the metrics of its replicas.
import type { V1Pod } from '@kubernetes/client-node'
import type { Cluster } from '../cluster/cluster.ts'
import { namespace } from './application.ts'
import { systemNamespace } from './zonefirst.ts'

/** Reasons of the Events on the Service "web". */
export async function eventReasons({ kube }: Cluster): Promise<string[]> {
  const path = `/api/v1/namespaces/${namespace}/events`
  const query = { fieldSelector: 'involvedObject.kind=Service,involvedObject.name=web' }
  const { items } = await kube.request<{ items: { reason: string }[] }>({ method: 'GET', path, query })
  return items.map(({ reason }) => reason)
}

export async function annotatorPods({ kube }: Cluster): Promise<V1Pod[]> {
  const path = `/api/v1/namespaces/${systemNamespace}/pods`
  const query = { labelSelector: 'app.kubernetes.io/name=zonefirst-annotator' }
  return (await kube.request<{ items: V1Pod[] }>({ method: 'GET', path, query })).items
}

/** By the names of the replicas' pods; those that don't answer, as they start or end, are left out. */
export async function annotatorMetrics(cluster: Cluster): Promise<Map<string, string>> {
  const read = async ({ metadata, status }: V1Pod): Promise<[string, string][]> => {
    const signal = AbortSignal.timeout(5_000)
    try {
      const answer = await fetch(`http://${status?.podIP}:8080/metrics`, { signal })
      return [[metadata?.name ?? '', await answer.text()]]
    } catch {
      return []
    }
  }
  return new Map((await Promise.all((await annotatorPods(cluster)).map(read))).flat())
}

/** A line of its own: the help text begins with "1" too. */
export function leads(metrics: string): boolean {
  return /^zonefirst_annotator_is_leader 1$/m.test(metrics)
}

/** Both replicas count what they see; the one that leads also tells it. */
export async function leaderMetrics(cluster: Cluster): Promise<string> {
  const leading = [...(await annotatorMetrics(cluster)).values()].find(leads)
  if (leading === undefined) throw new Error('no replica leads')
  return leading
}
