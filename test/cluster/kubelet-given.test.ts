// What the kubelet gives to pods: environment, volumes, an account.
import './enter.ts'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startCluster } from './cluster.ts'
import { defaultPods } from './default-pods.ts'
import { pod, shell } from './objects.ts'

t.setTimeout(180_000)

const cluster = await startCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())
const { read, running } = defaultPods(cluster)

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
