// A cluster with the webhook alone, installed from the manifests, and what tests do with it: pods, bindings, and the
// reasons that the webhook counted.
import type { V1ObjectMeta, V1Pod, V1PodSpec } from '@kubernetes/client-node'
import { type Cluster, type ClusterOptions, startCluster } from '../cluster/cluster.ts'
import { partOfZonefirst } from './zonefirst.ts'

const systemPods = '/api/v1/namespaces/zonefirst-system/pods'
const selector = { labelSelector: 'app.kubernetes.io/name=zonefirst-webhook' }

export interface Binding {
  node?: string
  target?: object
  metadata?: V1ObjectMeta
  /** Posted to the legacy resource. */
  legacy?: boolean
  dryRun?: boolean
}

export interface Stamp {
  zone: string | undefined
  key: string | undefined
  serves: string | undefined
}

export async function startWebhookCluster(options: ClusterOptions) {
  const cluster = await startCluster(options)
  const parts = partOfZonefirst('namespace', 'webhook', 'webhook-configuration', 'certs')
  await cluster.kubectl('apply', ...parts)
  await untilServing(cluster)
  await createShop(cluster)
  return cluster
}

/** The namespace of the tests' pods. */
export async function createShop(cluster: Cluster): Promise<void> {
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
  await cluster.until('the namespace has its service account', () =>
    cluster.kube.request({ method: 'GET', path: '/api/v1/namespaces/shop/serviceaccounts/default' }),
  )
}

/** Deployment ready, caBundle written, and a first binding stamped: from then on the API server calls it. */
export async function untilServing(cluster: Cluster): Promise<void> {
  const rollout = ['rollout', 'status', 'deployment/zonefirst-webhook', '--timeout=90s']
  await cluster.kubectl('-n', 'zonefirst-system', ...rollout)
  await cluster.until('the API server calls the webhook', async () => {
    const pod = podOf({ name: 'probe', namespace: 'default' }, { nodeName: 'node-a-1' })
    const answer = await cluster.kube.request<V1Pod>({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods',
      query: { dryRun: 'All' },
      body: pod,
    })
    return stampOf(answer).zone
  })
}

/** A pod that no scheduler takes, opted in unless its labels say otherwise. */
export function podOf(metadata: V1ObjectMeta, spec: Partial<V1PodSpec> = {}): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', labels: { 'zonefirst.io/enabled': 'true' }, ...metadata },
    spec: {
      schedulerName: 'nobody',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'sleep', image: 'sleep', command: ['sleep', 'infinity'] }],
      ...spec,
    },
  }
}

export function createPod(cluster: Cluster, pod: V1Pod, query = {}): Promise<V1Pod> {
  const path = `/api/v1/namespaces/${pod.metadata?.namespace}/pods`
  return cluster.kube.request({ method: 'POST', path, body: pod, query })
}

export function getPod(cluster: Cluster, { metadata }: V1Pod): Promise<V1Pod> {
  const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}`
  return cluster.kube.request({ method: 'GET', path })
}

/** Binds the pod as a scheduler does, and returns it as it is then. */
export async function bind(
  cluster: Cluster,
  pod: V1Pod,
  { node = 'node-a-1', target, metadata, legacy = false, dryRun = false }: Binding = {},
): Promise<V1Pod> {
  const { name, namespace, uid } = pod.metadata ?? {}
  const collection = `/api/v1/namespaces/${namespace}`
  await cluster.kube.request({
    method: 'POST',
    path: legacy ? `${collection}/bindings` : `${collection}/pods/${name}/binding`,
    query: { dryRun: dryRun ? 'All' : undefined },
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid, ...metadata },
      target: target ?? { apiVersion: 'v1', kind: 'Node', name: node },
    },
  })
  return getPod(cluster, pod)
}

export function stampOf({ metadata }: V1Pod): Stamp {
  return {
    zone: metadata?.annotations?.['zonefirst.io/zone'],
    key: metadata?.annotations?.['zonefirst.io/zone-key'],
    serves: metadata?.labels?.['zonefirst.io/serves'],
  }
}

export const inZoneA: Stamp = { zone: 'a', key: 'a', serves: 'a' }
export const unstamped: Stamp = { zone: undefined, key: undefined, serves: undefined }

/** The webhook's running pods. */
export async function webhookPods(cluster: Cluster): Promise<V1Pod[]> {
  const { items } = await cluster.kube.request<{ items: V1Pod[] }>({
    method: 'GET',
    path: systemPods,
    query: selector,
  })
  return items.filter(({ metadata, status }) => !metadata?.deletionTimestamp && status?.podIP)
}

/** What all replicas together have counted, by reason. */
async function countReasons(cluster: Cluster): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status } of await webhookPods(cluster)) {
    const text = await (await fetch(`http://${status?.podIP}:8080/metrics`)).text()
    for (const [, reason = '', count] of text.matchAll(
      /^zonefirst_webhook_reviews_total\{reason="(.*)"\} (\d+)$/gm,
    )) {
      counts[reason] = (counts[reason] ?? 0) + Number(count)
    }
  }
  return counts
}

/** Which reasons `action` added, and its result. */
export async function reasonsOf<T>(cluster: Cluster, action: () => Promise<T>) {
  const before = await countReasons(cluster)
  const result = await action()
  const after = await countReasons(cluster)
  const reasons = Object.entries(after).flatMap(([reason, count]) =>
    Array.from({ length: count - (before[reason] ?? 0) }, () => reason),
  )
  return { result, reasons }
}
