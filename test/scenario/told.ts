// What the installed annotator tells people: Events on the Service "web", and the metrics of the replica that leads.
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

/** Both replicas count what they see; the one that leads also tells it. */
export async function leaderMetrics({ kube }: Cluster): Promise<string> {
  const path = `/api/v1/namespaces/${systemNamespace}/pods`
  const query = { labelSelector: 'app.kubernetes.io/name=zonefirst-annotator' }
  const { items } = await kube.request<{ items: V1Pod[] }>({ method: 'GET', path, query })
  const texts = await Promise.all(
    items.map(async ({ status }) => (await fetch(`http://${status?.podIP}:8080/metrics`)).text()),
  )
  // a line of its own: the help text begins with "1" too
  const leading = texts.find((text) => /^zonefirst_annotator_is_leader 1$/m.test(text))
  if (leading === undefined) throw new Error('no replica leads')
  return leading
}
