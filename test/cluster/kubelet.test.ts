import './enter.ts'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { V1Pod } from '@kubernetes/client-node'
import t from 'tap'
import { type Cluster, startCluster } from './cluster.ts'
import { runCommand } from './command.ts'
import { pod, shell } from './objects.ts'

t.setTimeout(180_000)

let cluster: Cluster
t.before(async () => {
  cluster = await startCluster({ zones: ['a'], nodesPerZone: 2 })
  t.teardown(() => cluster.stop())
})

t.test(
  'environment: values, fields of the pod, ConfigMaps and Secrets, and the API server’s address',
  async (t) => {
    await cluster.apply([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color: 'blue' } },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'password' },
        stringData: { word: 'open sesame' },
      },
    ])
    const field = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } })
    const subject = pod('environment', {
      command: ['sh', '-c', 'env; echo "$0"; exec sleep infinity', '$(POD) of $(UNKNOWN)'],
      envFrom: [{ prefix: 'SET_', configMapRef: { name: 'settings' } }],
      env: [
        { name: 'POD', ...field('metadata.name') },
        { name: 'NODE', ...field('spec.nodeName') },
        { name: 'IP', ...field('status.podIP') },
        { name: 'ACCOUNT', ...field('spec.serviceAccountName') },
        { name: 'ZONE', ...field("metadata.labels['topology.kubernetes.io/zone']") },
        { name: 'MARK', ...field("metadata.annotations['example.com/mark']") },
        { name: 'WORD', valueFrom: { secretKeyRef: { name: 'password', key: 'word' } } },
        { name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'color' } } },
        { name: 'ABSENT', valueFrom: { configMapKeyRef: { name: 'none', key: 'none', optional: true } } },
        { name: 'BOTH', value: '$(POD)/$(COLOR)' },
      ],
    })
    await cluster.apply({
      ...subject,
      metadata: { ...subject.metadata, annotations: { 'example.com/mark': 'x' } },
    })
    const { spec, status } = await running('environment')
    const lines = await cluster.until('all is printed', async () => {
      const log = (await cluster.kubelet.logs(subject)).trim().split('\n')
      return log.at(-1)?.startsWith('environment of') && log
    })
    t.equal(lines.at(-1), 'environment of $(UNKNOWN)')
    const env = Object.fromEntries(lines.map((line) => line.split('=', 2)))
    t.match(env, {
      POD: 'environment',
      NODE: spec?.nodeName,
      IP: status?.podIP,
      ACCOUNT: 'default',
      ZONE: 'a',
      MARK: 'x',
      WORD: 'open sesame',
      COLOR: 'blue',
      SET_color: 'blue',
      BOTH: 'environment/blue',
      HOSTNAME: 'environment',
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
    })
    t.notOk('ABSENT' in env)
    t.notOk(
      'INIT_CWD' in env || 'TEST_CLUSTER_NAMESPACE' in env,
      'nothing of the program that runs the cluster',
    )
  },
)

t.test('a Secret’s volume: waited for, and renewed while the pod runs', async (t) => {
  const subject = pod(
    'secret-volume',
    { command: shell('echo started'), volumeMounts: [{ name: 'keys', mountPath: '/var/run/keys' }] },
    {
      volumes: [
        { name: 'keys', secret: { secretName: 'keys', items: [{ key: 'tls.key', path: 'sub/key' }] } },
      ],
    },
  )
  await cluster.apply(subject)
  const waiting = await cluster.until('the pod waits', async () => {
    const { status } = await read('secret-volume')
    return status?.containerStatuses?.[0]?.state?.waiting
  })
  t.match(waiting, { reason: 'CreateContainerConfigError', message: 'secret "keys" not found' })
  const secret = (value: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys' },
    stringData: { 'tls.key': value, other: 'not asked for' },
  })
  await cluster.apply(secret('first'))
  await running('secret-volume')
  const show = () => cluster.kubelet.exec(subject, ['cat', '/run/keys/sub/key'])
  t.equal(await show(), 'first')
  t.equal(await cluster.kubelet.exec(subject, ['readlink', '/run/keys/sub']), '..data/sub\n')
  const volume = join(cluster.kubelet.podFolder(subject), 'volumes/keys')
  t.match((await readdir(volume)).sort(), [/^\.\.\d+$/, '..data', 'sub'])
  await cluster.apply(secret('second'))
  await cluster.until('the file is renewed', async () => (await show()) === 'second')
  await cluster.until('the old files are gone', async () => (await readdir(volume)).length === 3)
})

t.test('a Secret can come late to the pods that have it', async (t) => {
  const objects = (value: string) => [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'late' }, stringData: { word: value } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'at-once' }, data: { word: value } },
  ]
  await cluster.apply(objects('first'))
  const subject = pod(
    'late-secret',
    {
      command: shell('echo started'),
      volumeMounts: [
        { name: 'late', mountPath: '/run/late' },
        { name: 'at-once', mountPath: '/run/at-once' },
      ],
    },
    {
      volumes: [
        { name: 'late', secret: { secretName: 'late' } },
        { name: 'at-once', configMap: { name: 'at-once' } },
      ],
    },
  )
  await cluster.apply(subject)
  await running('late-secret')
  const fileIn = (volume: string) => cluster.kubelet.exec(subject, ['cat', `/run/${volume}/word`])
  const until = (volume: string, want: string) =>
    cluster.until(`${volume} is ${want}`, async () => (await fileIn(volume)) === want)
  await until('late', 'first')

  cluster.kubelet.secretDelayMs = 24 * 3_600_000
  t.teardown(() => {
    cluster.kubelet.secretDelayMs = 0
  })
  await cluster.apply(objects('second'))
  await until('at-once', 'second')
  t.equal(await fileIn('late'), 'first')
  cluster.kubelet.secretDelayMs = 1
  await cluster.apply(objects('third'))
  await until('late', 'third')
})

t.test('the service account’s token speaks to the API server, with the rights of the account', async (t) => {
  const subject = pod('token', { command: shell('echo started') })
  await cluster.apply(subject)
  await running('token')
  const script = `
    const fs = require('node:fs')
    const folder = '/var/run/secrets/kubernetes.io/serviceaccount/'
    const [ca, token, namespace] = ['ca.crt', 'token', 'namespace'].map((name) => fs.readFileSync(folder + name, 'utf8'))
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
    const path = '/api/v1/namespaces/' + namespace + '/pods'
    const headers = { authorization: 'Bearer ' + token }
    require('node:https').get({ host, port, path, ca, headers }, (answer) => answer.pipe(process.stdout))`
  const answer = await cluster.kubelet.exec(subject, [process.execPath, '-e', script])
  t.match(JSON.parse(answer), {
    code: 403,
    message: /"system:serviceaccount:default:default" cannot list resource "pods"/,
  })
})

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

function read(name: string): Promise<V1Pod> {
  return cluster.kube.request({ method: 'GET', path: `/api/v1/namespaces/default/pods/${name}` })
}

function running(name: string): Promise<V1Pod> {
  return cluster.until(`pod ${name} is ready`, async () => {
    const found = await read(name)
    return (
      found.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') && found
    )
  })
}

async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
}
