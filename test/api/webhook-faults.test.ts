// The webhook's faults on a real API server: whatever becomes of it, pods are scheduled, each held up no longer than the
// configured time-out, and those that were missed are stamped and counted afterwards.
import '../cluster/enter.ts'
import { readdirSync, readFileSync } from 'node:fs'
import type { V1Pod } from '@kubernetes/client-node'
import t, { type Test } from 'tap'
import { readAll } from '../../lib/kube.ts'
import { keepAlive, registerNode } from '../cluster/nodes.ts'
import { annotatorMetrics } from '../scenario/told.ts'
import {
  bind,
  createPod,
  inZoneA,
  podOf,
  stampOf,
  startWebhookCluster,
  unstamped,
  untilServing,
  webhookPods,
} from '../scenario/webhook-cluster.ts'
import { partOfZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startWebhookCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())
const count = 100
const shopPods = '/api/v1/namespaces/shop/pods'
const system = (...args: string[]) => cluster.kubectl('-n', 'zonefirst-system', ...args)

// Nodes whose pods are bound and then never started: hundreds of processes would only be in the way. One for each fault,
// since a node has room for 250 pods.
const ways = ['hung', 'lost', 'absent', 'killed']
const nodes = ways.map((way) => ({ name: `node-${way}`, zone: 'a', address: '10.90.1.3' }))
const ending = new AbortController()
t.teardown(() => ending.abort())
for (const node of nodes) {
  await registerNode(cluster.kube, node)
  // the webhook itself has to run
  const taints = ['--overwrite', 'node', node.name, 'only=bound:NoSchedule']
  await cluster.kubectl('taint', ...taints)
}
keepAlive(cluster.kube, nodes, ending.signal)

/** The webhook's processes; in this program's own process namespace there are no others of the name. */
function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('webhook/main.js')
      } catch {
        return false
      }
    })
    .map(Number)
}
const signalAll = (signal: NodeJS.Signals) => {
  for (const pid of processes()) process.kill(pid, signal)
}

interface Durations {
  calls: number
  seconds: number
  /** calls that took at most 10 s */
  within10: number
}

/** How long the API server held bindings up for the webhook, as it counted it itself. */
async function heldUp(): Promise<Durations> {
  const text = await readAll(await cluster.kube.stream({ method: 'GET', path: '/metrics' }))
  const metric = 'apiserver_admission_webhook_admission_duration_seconds'
  const sum = (suffix: string, label = '') => {
    const lines = text.split('\n').filter((line) => line.startsWith(`${metric}_${suffix}{`))
    const ours = lines.filter((line) => line.includes('name="bindings.zonefirst.io"') && line.includes(label))
    return ours.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
  }
  return { calls: sum('count'), seconds: sum('sum'), within10: sum('bucket', 'le="10"') }
}

async function createMany(way: string): Promise<void> {
  const selected = {
    tolerations: [{ operator: 'Exists' }],
    schedulerName: 'default-scheduler',
    nodeSelector: { 'kubernetes.io/hostname': `node-${way}` },
  }
  const names = Array.from({ length: count }, (_, index) => `${way}-${index}`)
  const labels = { 'zonefirst.io/enabled': 'true', way }
  for (let at = 0; at < count; at += 20) {
    const some = names.slice(at, at + 20)
    await Promise.all(some.map((name) => createPod(cluster, podOf({ name, labels }, selected))))
  }
}

async function podsOf(way: string): Promise<V1Pod[]> {
  const query = { labelSelector: `way=${way}` }
  const { items } = await cluster.kube.request<{ items: V1Pod[] }>({ method: 'GET', path: shopPods, query })
  return items
}

async function untilBound(way: string): Promise<V1Pod[]> {
  return cluster.until(
    `all ${count} pods are bound`,
    async () => {
      const pods = await podsOf(way)
      return pods.length === count && pods.every(({ spec }) => spec?.nodeName === `node-${way}`) && pods
    },
    { timeoutMs: 120_000 },
  )
}

const missed: string[] = []

async function scheduleWithout(t: Test, way: string) {
  const before = await heldUp()
  await createMany(way)
  const pods = await untilBound(way)
  const after = await heldUp()
  const calls = after.calls - before.calls
  t.ok(calls >= count, `${calls} calls were tried`)
  // 2 s is configured: on average not much more, and none of them far more
  const average = (after.seconds - before.seconds) / calls
  t.ok(average < 3, `${average} s on average`)
  t.equal(after.within10 - before.within10, calls, 'none took long')
  for (const pod of pods) t.strictSame(stampOf(pod), unstamped, pod.metadata?.name ?? '')
  missed.push(...pods.map(({ metadata }) => metadata?.name ?? ''))
}

async function untilStampedAgain(t: Test, way: string) {
  await untilServing(cluster)
  const pod = await createPod(cluster, podOf({ name: `after-${way}` }))
  t.strictSame(stampOf(await bind(cluster, pod)), inZoneA, 'the next pod is stamped again')
}

t.test(`${count} pods while the webhook hangs: it takes connections and answers nothing`, async (t) => {
  signalAll('SIGSTOP')
  t.teardown(() => signalAll('SIGCONT'))
  await scheduleWithout(t, 'hung')
  signalAll('SIGCONT')
  await untilStampedAgain(t, 'hung')
})

t.test(`${count} pods while packets to the webhook are lost`, async (t) => {
  const replicas = await webhookPods(cluster)
  await cluster.kubelet.vanish(replicas)
  await scheduleWithout(t, 'lost')
  await cluster.kubelet.restore(replicas)
  await untilStampedAgain(t, 'lost')
})

t.test(`${count} pods while the webhook is absent`, async (t) => {
  await system('scale', 'deployment/zonefirst-webhook', '--replicas=0')
  t.teardown(() => system('scale', 'deployment/zonefirst-webhook', '--replicas=2'))
  await cluster.until('the webhook is gone', async () => (await webhookPods(cluster)).length === 0)
  await cluster.until('its endpoints are gone', () => processes().length === 0)
  await scheduleWithout(t, 'absent')
  await system('scale', 'deployment/zonefirst-webhook', '--replicas=2')
  await untilStampedAgain(t, 'absent')
})

t.test('the webhook killed: it is back by itself, and stamps again', async (t) => {
  const killed = processes()
  t.equal(killed.length, 2)
  signalAll('SIGKILL')
  await createMany('killed')
  const pods = await untilBound('killed')
  for (const pod of pods) {
    const { zone } = stampOf(pod)
    t.ok(zone === undefined || zone === 'a', `${pod.metadata?.name} has the right stamp or none`)
  }
  missed.push(
    ...pods.filter((pod) => stampOf(pod).zone === undefined).map(({ metadata }) => metadata?.name ?? ''),
  )
  await cluster.until('both run again', () => {
    const now = processes()
    return now.length === 2 && now.every((pid) => !killed.includes(pid))
  })
  await untilStampedAgain(t, 'killed')
})

t.test('SIGTERM under load: every review through the API server is answered', async (t) => {
  let stopping = false
  let stamped = 0
  let lost = 0
  const load = Array.from({ length: 4 }, async (_, caller) => {
    while (!stopping) {
      const pod = podOf({ name: `load-${caller}` }, { nodeName: 'node-a-1' })
      const { zone } = stampOf(await createPod(cluster, pod, { dryRun: 'All' }))
      if (zone === 'a') stamped += 1
      else lost += 1
    }
  })
  const old = processes()
  await system('rollout', 'restart', 'deployment/zonefirst-webhook')
  await cluster.until('both replicas are others', () => {
    const now = processes()
    return now.length === 2 && now.every((pid) => !old.includes(pid))
  })
  stopping = true
  await Promise.all(load)
  t.equal(lost, 0, 'none was left without a stamp')
  t.ok(stamped > 50, `${stamped} pods were stamped meanwhile`)
})

t.test('afterwards what was missed is stamped by the annotator, and counted', async (t) => {
  await cluster.kubectl('apply', ...partOfZonefirst('annotator'))
  await system('rollout', 'status', 'deployment/zonefirst-annotator', '--timeout=90s')
  const metric = async (name: string) =>
    [...(await annotatorMetrics(cluster)).values()].map((text) =>
      Number(new RegExp(`^zonefirst_annotator_${name} (\\d+)$`, 'm').exec(text)?.[1]),
    )
  await cluster.until(
    'none is without a stamp, as both replicas see it',
    async () => {
      const counts = await metric('unstamped_pods')
      return counts.length === 2 && counts.every((count) => count === 0)
    },
    { timeoutMs: 120_000 },
  )
  const counts = await metric('backfilled_pods_total')
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    missed.length,
    `${missed.length} were missed`,
  )
  const { items } = await cluster.kube.request<{ items: V1Pod[] }>({ method: 'GET', path: shopPods })
  for (const pod of items) t.strictSame(stampOf(pod), inZoneA, pod.metadata?.name ?? '')
})
