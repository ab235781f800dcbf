// How the kubelet's pods live and end: containers, probes, nodes.
import './enter.ts'
import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { startCluster } from './cluster.ts'
import { runCommand } from './command.ts'
import { defaultPods } from './default-pods.ts'
import { pod, shell } from './objects.ts'

t.setTimeout(180_000)

const cluster = await startCluster({ zones: ['a'], nodesPerZone: 2 })
t.teardown(() => cluster.stop())
const { read, running } = defaultPods(cluster)

t.test('a container that ends is started again; in a pod that may not, it stays ended', async (t) => {
  await cluster.apply([
    pod('again', { command: ['sh', '-c', 'echo run; exit 3'] }),
    pod('done', { command: ['sh', '-c', 'echo run'] }, { restartPolicy: 'Never' }),
    pod('failed', { command: ['sh', '-c', 'exit 4'] }, { restartPolicy: 'Never' }),
  ])
  const container = await cluster.until('it was started twice', async () => {
    const { status } = await read('again')
    const [container] = status?.containerStatuses ?? []
    return (container?.restartCount ?? 0) >= 2 && container
  })
  t.match(container, { ready: false, lastState: { terminated: { exitCode: 3, reason: 'Error' } } })
  const ended = async (name: string, phase: string) => (await read(name)).status?.phase === phase
  await cluster.until('done has succeeded', () => ended('done', 'Succeeded'))
  await cluster.until('failed has failed', () => ended('failed', 'Failed'))
  t.equal(await cluster.kubelet.logs(pod('done', {})), 'run\n')
})

t.test('readiness follows the probe, liveness ends the container', async (t) => {
  const script = `
    const server = require('node:http').createServer((request, response) => {
      response.statusCode = require('node:fs').existsSync('/run' + request.url) ? 200 : 500
      response.end()
    })
    server.listen(8080)`
  const probe = (path: string) => ({ httpGet: { path, port: 8080 }, periodSeconds: 1, failureThreshold: 1 })
  const subject = pod('probed', {
    command: ['node', '-e', script],
    readinessProbe: probe('/ready'),
    livenessProbe: { ...probe('/alive'), initialDelaySeconds: 3600 },
  })
  await cluster.apply(subject)
  const isReady = async () => (await read('probed')).status?.containerStatuses?.[0]?.ready
  await cluster.until('it runs', async () => (await read('probed')).status?.phase === 'Running')
  t.equal(await isReady(), false)
  await cluster.kubelet.exec(subject, ['touch', '/run/ready'])
  await cluster.until('it is ready', isReady)
  await cluster.kubelet.exec(subject, ['rm', '/run/ready'])
  await cluster.until('it is not ready', async () => (await isReady()) === false)
})

t.test('a deleted pod ends what it has begun, and leaves nothing', async (t) => {
  const subject = pod('leaving', {
    command: ['node', 'test/cluster/app.ts'],
    readinessProbe: { tcpSocket: { port: 8080 } },
  })
  await cluster.apply(subject)
  const { status } = await running('leaving')
  const address = status?.podIP ?? ''
  const folder = cluster.kubelet.podFolder(subject)
  const slow = fetch(`http://${address}:8080/slow/1500`)
  await fetch(`http://${address}:8080/`)
  await cluster.kubectl('delete', 'pod', 'leaving')
  t.equal((await slow).status, 200)
  await t.rejects(read('leaving'), / 404 /)
  await t.rejects(readdir(folder), { code: 'ENOENT' })
  t.notMatch(await runCommand(['ip', 'netns']), new RegExp(`^${address}\\b`, 'm'))
})

t.test(
  'a pod that hears no SIGTERM is killed when its grace is over, with all that it started',
  async (t) => {
    const script = 'trap "" TERM; setsid sleep 4242 & while :; do sleep 1; done'
    await cluster.apply(pod('deaf', { command: ['sh', '-c', script] }, { terminationGracePeriodSeconds: 1 }))
    await running('deaf')
    await cluster.kubectl('delete', 'pod', 'deaf')
    t.notOk((await commandLines()).some((line) => line.includes('4242')))
  },
)

t.test('what can’t be run says why', async (t) => {
  await cluster.apply([
    pod('no-command', {}),
    pod('init', { command: ['true'] }, { initContainers: [{ name: 'first', image: 'none' }] }),
    pod(
      'no-path',
      { command: ['true'], volumeMounts: [{ name: 'v', mountPath: '/no/such/path' }] },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    ),
  ])
  const message = (name: string) =>
    cluster.until(`${name} says why`, async () => {
      const { status } = await read(name)
      return status?.containerStatuses?.[0]?.state?.waiting?.message
    })
  t.match(await message('no-command'), /has no command/)
  t.match(await message('init'), /initContainers .* not known/)
  t.match(await message('no-path'), /\/no\/such\/path/)
})

t.test('both nodes of the zone take pods and stay ready', async (t) => {
  const { items } = JSON.parse(await cluster.kubectl('get', 'nodes', '-o', 'json'))
  t.match(items, [
    { metadata: { name: 'node-a-1', labels: { 'topology.kubernetes.io/zone': 'a' } } },
    { metadata: { name: 'node-a-2', labels: { 'topology.kubernetes.io/zone': 'a' } } },
  ])
  const subject = pod('second-node', { command: shell('echo started') }, { nodeName: 'node-a-2' })
  await cluster.apply(subject)
  t.match((await running('second-node')).status?.podIP, /^10\.88\.1\./)
})

t.test('what somebody says of a node and its pods that can’t be heard is taken back', async (t) => {
  const subject = pod('unheard', { command: shell('echo started') })
  await cluster.apply(subject)
  const { spec } = await running('unheard')
  const declare = (object: string, type: string, status: string) => {
    const patch = JSON.stringify({ status: { conditions: [{ type, status, reason: 'Unheard' }] } })
    return cluster.kubectl('patch', object, '--subresource=status', '--type=strategic', '-p', patch)
  }
  await declare('pod/unheard', 'Ready', 'False')
  await running('unheard')
  const node = spec?.nodeName ?? ''
  await declare(`node/${node}`, 'Ready', 'Unknown')
  const ready = () => cluster.kubectl('wait', '--for=condition=Ready', `node/${node}`, '--timeout=30s')
  t.match(await ready(), 'condition met')
})

async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
}
