import './enter.ts'
import type { V1Pod } from '@kubernetes/client-node'
import t from 'tap'
import { type Cluster, startCluster } from './cluster.ts'
import { runCommand } from './command.ts'
import { headlessService, webDeployment } from './objects.ts'

// names as clouds have them, and one that a Node couldn't bear
const zones = ['eu-west-1a', 'eu-west-1b', 'Rack_3']
t.setTimeout(180_000)

let cluster: Cluster
let pods: V1Pod[]
t.before(async () => {
  cluster = await startCluster({ zones })
  t.teardown(() => cluster.stop())
  await cluster.apply([webDeployment('web', 6), headlessService('web')])
  pods = await readyPods('web', 6)
})

t.test('kubectl speaks to a cluster of the version that was built', async (t) => {
  const { serverVersion } = JSON.parse(await cluster.kubectl('version', '-o', 'json'))
  t.match(serverVersion.gitVersion, /^v1\.\d+\.\d+$/)
  t.equal(serverVersion.gitTreeState, 'clean')
})

t.test('pods are spread over the zones and have addresses of theirs, on one port', async (t) => {
  const addresses = zones.map((zone) => inZone(zone).map(({ status }) => status?.podIP ?? ''))
  addresses.forEach((inZone, index) => {
    t.equal(inZone.length, 2)
    for (const address of inZone) t.match(address, new RegExp(`^10\\.88\\.${index + 1}\\.\\d+$`))
  })
  t.equal(new Set(addresses.flat()).size, 6)
  for (const [index, zone] of zones.entries()) {
    const answer = await get([], addresses[index]?.[0] ?? '', '/')
    t.equal(answer.zone, zone)
  }
})

t.test('traffic within a zone leaves its links alone, traffic between zones is counted', async (t) => {
  const [first, second] = inZone('eu-west-1a')
  const [other] = inZone('eu-west-1b')
  const before = await counters()
  t.equal((await ask(first, second, '/bytes/1000000')).length, 1_000_000)
  t.same(await counters(), before, 'nothing crossed')
  t.equal((await ask(first, other, '/bytes/1000000')).length, 1_000_000)
  const after = await counters()
  t.ok(difference(after.received, before.received)('eu-west-1a') > 1_000_000)
  t.ok(difference(after.sent, before.sent)('eu-west-1b') > 1_000_000)
  t.equal(
    difference(after.sent, before.sent)('Rack_3') + difference(after.received, before.received)('Rack_3'),
    0,
  )
})

t.test('from outside of pods, too', async (t) => {
  const [target] = inZone('Rack_3')
  const before = await counters()
  await get(cluster.network.enterZone('Rack_3'), target?.status?.podIP ?? '', '/bytes/1000000')
  t.same(await counters(), before)
  await get(cluster.network.enterZone('eu-west-1a'), target?.status?.podIP ?? '', '/bytes/1000000')
  t.ok(difference((await counters()).sent, before.sent)('Rack_3') > 1_000_000)
})

t.test('a headless Service resolves to the addresses of its pods', async (t) => {
  const expected = pods.map(({ status }) => status?.podIP).sort()
  const found = await cluster.until('DNS knows all pods', async () => {
    const output = await cluster.kubelet.exec(pods[0] as V1Pod, ['getent', 'ahostsv4', 'web'])
    const addresses = [...new Set(output.match(/^\S+(?=\s+STREAM)/gm))].sort()
    return addresses.length === 6 && addresses
  })
  t.same(found, expected)
  await t.rejects(
    cluster.kubelet.exec(pods[0] as V1Pod, ['getent', 'hosts', 'no-such-name.example']),
    /status 2/,
  )
})

t.test('a zone that is cut off is silent, and back when it is healed', async (t) => {
  const [from] = inZone('eu-west-1a')
  const [target] = inZone('eu-west-1b')
  await cluster.network.cut('eu-west-1b')
  t.match(await silence(from, target), /TimeoutError/)
  t.equal((await ask(inZone('eu-west-1b')[1], target, '/')).zone, 'eu-west-1b', 'inside it all is well')
  await cluster.network.heal('eu-west-1b')
  t.equal((await ask(from, target, '/')).zone, 'eu-west-1b')
})

t.test('pods that vanish are silent without the API knowing, and come back', async (t) => {
  const lost = inZone('Rack_3')
  const [from] = inZone('eu-west-1a')
  await cluster.kubelet.vanish(lost)
  t.match(await silence(from, lost[0]), /TimeoutError/, 'no answer and no error')
  t.same((await readyPods('web', 6)).map(nameOf), pods.map(nameOf), 'still ready in the API')
  await cluster.kubelet.restore(lost)
  await cluster.until('they were started again', async () => {
    const restored = await cluster.kubectl('get', 'pods', '-l', 'app=web', '-o', 'json')
    const statuses = (JSON.parse(restored).items as V1Pod[]).map(
      ({ status }) => status?.containerStatuses?.[0],
    )
    return statuses.filter((status) => status?.ready && status.restartCount === 1).length === 2
  })
  t.equal((await ask(from, lost[0], '/')).pod, nameOf(lost[0]))
})

t.test('a component that is stopped is missed, and is started again', async (t) => {
  const { etcd } = cluster.controlPlane.components
  const write = (value: string) =>
    cluster.kubectl('annotate', 'service', 'web', `test=${value}`, '--overwrite')
  await etcd.stop()
  await t.rejects(cluster.kubectl('get', 'service', 'web', '--request-timeout=2s'))
  t.equal((await ask(pods[0], pods[1], '/')).pod, nameOf(pods[1]), 'pods go on')
  etcd.start()
  await cluster.controlPlane.ready()
  await cluster.until('writes succeed', () => write('again').catch(() => false))
})

interface Answer {
  pod: string
  zone: string
  length: number
}

/** From one pod to another. */
function ask(from: V1Pod | undefined, to: V1Pod | undefined, path: string): Promise<Answer> {
  return get(cluster.network.enterPod(from?.status?.podIP ?? ''), to?.status?.podIP ?? '', path)
}

/** The error of a request that isn't answered. */
async function silence(from: V1Pod | undefined, to: V1Pod | undefined): Promise<string> {
  const enter = cluster.network.enterPod(from?.status?.podIP ?? '')
  const answer = await get(enter, to?.status?.podIP ?? '', '/', 1_000).catch((error: Error) => error.message)
  return typeof answer === 'string' ? answer : `answered by ${answer.pod}`
}

async function get(enter: string[], host: string, path: string, timeoutMs = 20_000): Promise<Answer> {
  const script = `
    const answer = await fetch('http://${host}:8080${path}', { signal: AbortSignal.timeout(${timeoutMs}) })
    const { byteLength: length } = await answer.arrayBuffer()
    console.log(JSON.stringify({ pod: answer.headers.get('x-pod'), zone: answer.headers.get('x-zone'), length }))`
  const output = await runCommand([...enter, process.execPath, '--input-type=module', '-e', script])
  return JSON.parse(output) as Answer
}

async function readyPods(app: string, count: number): Promise<V1Pod[]> {
  return cluster.until(`${count} pods of ${app} are ready`, async () => {
    const { items } = await cluster.kube.request<{ items: V1Pod[] }>({
      method: 'GET',
      path: '/api/v1/namespaces/default/pods',
      query: { labelSelector: `app=${app}` },
    })
    const ready = items.filter(({ status }) =>
      status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    )
    return ready.length === count && ready
  })
}

function inZone(zone: string): V1Pod[] {
  return pods.filter(({ metadata }) => metadata?.labels?.['topology.kubernetes.io/zone'] === zone)
}

function nameOf(pod: V1Pod | undefined): string {
  return pod?.metadata?.name ?? ''
}

interface Counters {
  sent: Record<string, number>
  received: Record<string, number>
}

async function counters(): Promise<Counters> {
  const all = await Promise.all(zones.map((zone) => cluster.network.crossZoneBytes(zone)))
  return {
    sent: Object.fromEntries(zones.map((zone, index) => [zone, all[index]?.sent ?? 0])),
    received: Object.fromEntries(zones.map((zone, index) => [zone, all[index]?.received ?? 0])),
  }
}

function difference(after: Record<string, number>, before: Record<string, number>): (zone: string) => number {
  return (zone) => (after[zone] ?? 0) - (before[zone] ?? 0)
}
