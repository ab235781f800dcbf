// Sends load to the ingress controllers of all zones at once and says how much of it left its zone: requests by the pods
// that answered, bytes by the kernel's own counters on the links between zones.
import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { V1Node, V1Pod } from '@kubernetes/client-node'
import { zoneOf } from '../../lib/zone.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { hostOf, namespace, type ServiceName } from './application.ts'
import type { Load, LoadResult } from './load.ts'
import { proxyNamespace } from './proxies.ts'

export interface ReadyProxy {
  zone: string
  pod: string
  address: string
}

export interface ZoneTraffic extends LoadResult {
  zone: string
  /** answers that came from a pod of another zone */
  crossed: number
}

export interface Traffic {
  zones: ZoneTraffic[]
  requests: number
  failed: number
  bodyBytes: number
  /** share of the answers that came from another zone */
  crossedRequests: number
}

/** The ingress controllers that are ready, one a zone. */
export async function readyProxies(cluster: Cluster): Promise<ReadyProxy[]> {
  const pods = await listPods(cluster, proxyNamespace, 'app=haproxy-ingress')
  const zones = await zonesOfNodes(cluster)
  return pods.filter(isReady).map((pod) => ({
    zone: zones.get(pod.spec?.nodeName ?? '') ?? '',
    pod: pod.metadata?.name ?? '',
    address: pod.status?.podIP ?? '',
  }))
}

/** Zones of the application's pods by their names, taken from where they are bound, not from what we stamped. */
export async function zonesOfPods(cluster: Cluster): Promise<Map<string, string>> {
  const zones = await zonesOfNodes(cluster)
  const pods = await listPods(cluster, namespace, 'app=web')
  return new Map(pods.map((pod) => [pod.metadata?.name ?? '', zones.get(pod.spec?.nodeName ?? '') ?? '']))
}

export async function readyPods(cluster: Cluster): Promise<V1Pod[]> {
  return (await listPods(cluster, namespace, 'app=web')).filter(
    (pod) => isReady(pod) && pod.metadata?.deletionTimestamp === undefined,
  )
}

/** What people want to know of traffic in short. */
export interface Outcome {
  requests: number
  failed: number
  /** what went wrong, by status or error code */
  failures: Record<string, number>
  /** of the zone where it was longest */
  p99Ms: number
}

export function outcomeOf(traffic: Traffic | undefined): Outcome {
  if (traffic === undefined) throw new Error('nothing was sent')
  const { requests, failed, zones } = traffic
  const failures: Record<string, number> = {}
  for (const [failure, count] of zones.flatMap((zone) => Object.entries(zone.failures))) {
    failures[failure] = (failures[failure] ?? 0) + count
  }
  return { requests, failed, failures, p99Ms: Math.max(...zones.map(({ p99Ms }) => p99Ms)) }
}

/** As `sendFromEveryZone`, to each of the Services at once, for as long as `work` takes and a second before it. */
export async function sendWhile(
  cluster: Cluster,
  services: readonly ServiceName[],
  load: Omit<Load, 'target' | 'host' | 'requests'> & { rate: number },
  work: () => Promise<unknown>,
): Promise<Traffic[]> {
  const isOver = new AbortController()
  const sending = Promise.all(
    services.map((service) => sendFromEveryZone(cluster, service, load, isOver.signal)),
  )
  try {
    // traffic first, so that there are connections to lose
    await Promise.race([wait(1_000), sending])
    await work()
  } finally {
    isOver.abort()
    await sending.catch(() => {})
  }
  return sending
}

type ZoneLoad = Omit<Load, 'target' | 'host'>

/** The same load for each zone's ingress controller, or to each its own, all at once, each from within the zone. */
export async function sendFromEveryZone(
  cluster: Cluster,
  service: ServiceName,
  load: ZoneLoad | ((zone: string) => ZoneLoad),
  end?: AbortSignal,
): Promise<Traffic> {
  const proxies = await readyProxies(cluster)
  // pods that go away meanwhile are known before, those that come are known after
  const before = await zonesOfPods(cluster)
  const results = await Promise.all(
    proxies.map(({ zone, address }) =>
      sendFromZone(
        cluster,
        zone,
        {
          ...(typeof load === 'function' ? load(zone) : load),
          target: `${address}:80`,
          host: hostOf(service),
        },
        end,
      ),
    ),
  )
  const zones = new Map([...before, ...(await zonesOfPods(cluster))])
  const traffic = results.map((result, index) => {
    const zone = proxies[index]?.zone ?? ''
    const crossed = Object.entries(result.byPod)
      .filter(([pod]) => zones.get(pod) !== zone)
      .reduce((sum, [, answers]) => sum + answers, 0)
    return { ...result, zone, crossed }
  })
  const sum = (field: 'requests' | 'failed' | 'bodyBytes' | 'crossed') =>
    traffic.reduce((total, each) => total + each[field], 0)
  const answered = sum('requests') - sum('failed')
  return {
    zones: traffic,
    requests: sum('requests'),
    failed: sum('failed'),
    bodyBytes: sum('bodyBytes'),
    crossedRequests: answered === 0 ? 0 : sum('crossed') / answered,
  }
}

/**
 * The share of an exchange's bytes that crossed zones: what the links between zones carried, less what they carry in an
 * idle spell of the same length (health checks), against the bodies of all answers.
 */
export async function measureCrossing(
  cluster: Cluster,
  exchange: () => Promise<Traffic>,
): Promise<{ traffic: Traffic; crossedBytes: number }> {
  const startedAt = performance.now()
  const before = await bytesBetweenZones(cluster)
  const traffic = await exchange()
  const during = (await bytesBetweenZones(cluster)) - before
  const length = performance.now() - startedAt
  const idleBefore = await bytesBetweenZones(cluster)
  await wait(length)
  const idle = (await bytesBetweenZones(cluster)) - idleBefore
  return { traffic, crossedBytes: Math.max(during - idle, 0) / traffic.bodyBytes }
}

async function bytesBetweenZones({ network }: Cluster): Promise<number> {
  const counters = await Promise.all(network.zones.map((zone) => network.crossZoneBytes(zone)))
  return counters.reduce((sum, { sent }) => sum + sent, 0)
}

function sendFromZone(
  { network }: Cluster,
  zone: string,
  load: Load,
  end?: AbortSignal,
): Promise<LoadResult> {
  const [command = '', ...args] = [
    ...network.enterZone(zone),
    process.execPath,
    'test/scenario/load-main.ts',
    JSON.stringify(load),
  ]
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const close = () => child.stdin.end()
    if (end?.aborted) close()
    else end?.addEventListener('abort', close)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.on('error', reject)
    child.on('close', (status) => {
      if (status === 0) resolve(JSON.parse(output) as LoadResult)
      else reject(new Error(`the load from zone ${zone} ended with status ${status}`))
    })
  })
}

async function listPods(cluster: Cluster, from: string, labelSelector: string): Promise<V1Pod[]> {
  const path = `/api/v1/namespaces/${from}/pods`
  return (await cluster.kube.request<{ items: V1Pod[] }>({ method: 'GET', path, query: { labelSelector } }))
    .items
}

async function zonesOfNodes(cluster: Cluster): Promise<Map<string, string>> {
  const nodes = await cluster.kube.request<{ items: V1Node[] }>({ method: 'GET', path: '/api/v1/nodes' })
  return new Map(nodes.items.map(({ metadata }) => [metadata?.name ?? '', zoneOf(metadata?.labels) ?? '']))
}

function isReady(pod: V1Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
}
