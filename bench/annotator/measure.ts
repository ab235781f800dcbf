// What is measured of the annotator on a large cluster, one phase after the other. Writes are counted by the API server's
// audit log; Leases and Events, which are no objects of ours, apart.
import { setTimeout as pause } from 'node:timers/promises'
import { mergePatch } from '../../lib/kube.ts'
import { serversAnnotation, servesLabel } from '../../lib/names.ts'
import { until } from '../../test/cluster/until.ts'
import { median } from '../../test/scenario/median.ts'
import { atOnce } from './at-once.ts'
import { delays, type WritesPerObject, writesPerObject } from './audit.ts'
import { annotatorUser, type LargeCluster } from './cluster.ts'
import { isEven, type PodSketch, podsOf, podsPerService, proxyPods, zones } from './objects.ts'
import { type AnnotatorProcess, type Memory, startAnnotatorProcess } from './process.ts'
import { isOfObject, measureWork, ownWrites, settledMs, untilQuiet, type Work } from './work.ts'

export interface Cold {
  seconds: number
  writes: Record<string, WritesPerObject>
  events: number
  /** how long the API server took for a write, ms */
  answerMs: { median: number; p99: number }
  memory: Memory
  cpuSeconds: number
}

/** From the start of its process to the last write. */
export async function measureCold(
  cluster: LargeCluster,
  services: number,
): Promise<{ annotator: AnnotatorProcess; cold: Cold }> {
  const annotator = await startAnnotatorProcess(cluster)
  const expected = services * (1 + zones.length)
  const isWhole = async () => {
    const written = ownWrites(await cluster.writes()).filter(({ resource }) => resource === 'services')
    return new Set(written.map(({ key }) => key)).size >= expected
  }
  await until('every Service is written', isWhole, { timeoutMs: 300_000, intervalMs: 1_000 })
  await untilQuiet(cluster, annotator)
  const found = await servicesOf(cluster)
  const [annotated, all] = [found.filter(isAnnotated).length, found.length]
  if (annotated !== services || all < expected)
    throw new Error(`${annotated} of ${services} Services annotated, ${all} Services instead of ${expected}`)
  const own = ownWrites(await cluster.writes())
  const answers = own.map(({ cameAt, answeredAt }) => answeredAt - cameAt).sort((a, b) => a - b)
  const last = Math.max(...own.filter(isOfObject).map(({ answeredAt }) => answeredAt))
  const cold = {
    seconds: (last - annotator.startedAt) / 1_000,
    writes: writesPerObject(own.filter(isOfObject)),
    events: own.filter(({ resource }) => resource === 'events').length,
    answerMs: { median: median(answers), p99: quantile(answers, 0.99) },
    memory: await annotator.memory(),
    cpuSeconds: await annotator.cpuSeconds(),
  }
  return { annotator, cold }
}

/** Begins when even the load guard's moves that wait are over. */
export async function measureIdle(
  cluster: LargeCluster,
  annotator: AnnotatorProcess,
  seconds: number,
): Promise<Work & { leases: number }> {
  await untilQuiet(cluster, annotator, settledMs)
  const before = (await cluster.writes()).length
  const work = await measureWork(cluster, annotator, () => pause(seconds * 1_000))
  const own = ownWrites((await cluster.writes()).slice(before))
  return { ...work, leases: own.filter(({ resource }) => resource === 'leases').length }
}

export interface PerEvent {
  events: number
  /** from the arrival of the change at the API server to that of the annotator's write, ms */
  medianMs: number
  p99Ms: number
  /** the annotator's processor time of one, ms */
  cpuMs: number
  /** looks at Services for one */
  reconciles: number
}

/** Pods lose the label that says which zone they serve, one every 50 ms, and the annotator writes it again. */
export async function measureEvents(
  cluster: LargeCluster,
  annotator: AnnotatorProcess,
  services: number,
  events: number,
): Promise<PerEvent> {
  const even = Array.from({ length: services }, (_, service) => service).filter(isEven)
  const changed = Array.from({ length: events }, (_, event) => {
    const pods = podsOf(even[event % even.length] ?? 0)
    return pods[Math.floor(event / even.length) % podsPerService] as PodSketch
  })
  const round = async (pods: readonly PodSketch[]) => {
    for (const pod of pods) {
      await patchPod(cluster, pod, { labels: { [servesLabel]: null } })
      await pause(50)
    }
  }
  // the engine compiles what it sees often
  await round(changed.slice(0, events / 4))
  await untilQuiet(cluster, annotator)
  const before = (await cluster.writes()).length
  const work = await measureWork(cluster, annotator, () => round(changed))
  const written = (await cluster.writes()).slice(before).filter(({ resource }) => resource === 'pods')
  const found = delays(written, annotatorUser).sort((a, b) => a - b)
  if (found.length < events) throw new Error(`only ${found.length} of ${events} changes were answered`)
  return {
    events,
    medianMs: median(found),
    p99Ms: quantile(found, 0.99),
    cpuMs: work.cpuMs / events,
    reconciles: work.reconciles / events,
  }
}

/**
 * What one pod's change costs: one that matters to nobody, one that is not ready any more, and ready again. And a proxy's,
 * which changes the shares of all zones, and so concerns every Service.
 */
export async function measureOnePod(
  cluster: LargeCluster,
  annotator: AnnotatorProcess,
): Promise<Record<string, Work>> {
  const [pod] = podsOf(0) as [PodSketch]
  const [proxy] = proxyPods() as [PodSketch]
  const of = (change: () => Promise<unknown>) => measureWork(cluster, annotator, change)
  return {
    'a pod, annotated': await of(() =>
      patchPod(cluster, pod, { annotations: { 'example.test/note': 'new' } }),
    ),
    'a pod, not ready': await of(() => cluster.setStatus(pod, false)),
    'a pod, ready again': await of(() => cluster.setStatus(pod, true)),
    'a proxy, not ready': await of(() => cluster.setStatus(proxy, false)),
    'a proxy, ready again': await of(() => cluster.setStatus(proxy, true)),
  }
}

export interface RollingRestart extends Work {
  pods: number
  /** while pods were replaced */
  seconds: number
  /** from the last pod's end to the annotator's last write; 0 where it wrote nothing after it */
  settledSeconds: number
  byResource: Record<string, WritesPerObject>
}

/** Every pod of some Services is replaced, in each Service one after the other: a new one is ready before an old one goes. */
export async function measureRollingRestart(
  cluster: LargeCluster,
  annotator: AnnotatorProcess,
  pods: number,
): Promise<RollingRestart> {
  const services = Array.from({ length: pods / podsPerService }, (_, service) => service)
  const before = (await cluster.writes()).length
  let [seconds, endedAt] = [0, 0]
  const work = await measureWork(cluster, annotator, async () => {
    const startedAt = Date.now()
    await atOnce(services, 20, async (service) => {
      const old = podsOf(service)
      for (const [index, pod] of podsOf(service, 1).entries()) {
        await cluster.createPod(pod)
        await cluster.setStatus(pod, true)
        await cluster.deletePod(old[index] as PodSketch)
      }
    })
    endedAt = Date.now()
    seconds = (endedAt - startedAt) / 1_000
  })
  const own = ownWrites((await cluster.writes()).slice(before)).filter(isOfObject)
  const last = Math.max(endedAt, ...own.map(({ answeredAt }) => answeredAt))
  return {
    ...work,
    pods,
    seconds,
    settledSeconds: (last - endedAt) / 1_000,
    byResource: writesPerObject(own),
  }
}

/** Of values in their order. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}

interface Found {
  metadata: { annotations?: Record<string, string> }
}

async function servicesOf({ kube }: LargeCluster): Promise<Found[]> {
  const { items } = await kube.request<{ items: Found[] }>({ method: 'GET', path: '/api/v1/services' })
  return items
}

function isAnnotated({ metadata }: Found): boolean {
  return metadata.annotations?.[serversAnnotation] !== undefined
}

async function patchPod({ kube }: LargeCluster, pod: PodSketch, metadata: object): Promise<void> {
  const path = `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`
  await kube.request({ method: 'PATCH', path, contentType: mergePatch, body: { metadata } })
}
