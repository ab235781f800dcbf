// The stand-in on a real API server, with a real HAProxy: what reaches HAProxy at run time, what by a reload, and
// what not at all.
import '../cluster/enter.ts'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { applyPatch, type Kube, mergePatch } from '../../lib/kube.ts'
import { createComponent } from '../cluster/component.ts'
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts'
import { createNetwork } from '../cluster/network.ts'
import { root } from '../cluster/tools.ts'
import { until } from '../cluster/until.ts'
import { endpointSlice, ingress, ingressClass, type Pod, service, validationRules } from './objects.ts'

const name = 'default_svc_web_http'
const namespaced = '/namespaces/default'
const paths: Record<string, string> = {
  Service: `/api/v1${namespaced}/services`,
  Ingress: `/apis/networking.k8s.io/v1${namespaced}/ingresses`,
  IngressClass: '/apis/networking.k8s.io/v1/ingressclasses',
  EndpointSlice: `/apis/discovery.k8s.io/v1${namespaced}/endpointslices`,
  Namespace: '/api/v1/namespaces',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  ValidationRules: '/apis/ingress.v3.haproxy.org/v3/namespaces/haproxy-controller/validationrules',
}
interface Applied {
  apiVersion: string
  kind: string
  metadata: { name: string }
}

let controlPlane: ControlPlane
let kube: Kube
t.before(async () => {
  const network = await createNetwork(['zone-a'])
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-'))
  controlPlane = await startControlPlane({
    folder,
    onUnexpectedEnd: (error) => {
      throw error
    },
  })
  kube = controlPlane.connectAs('admin')
  t.teardown(async () => {
    await controlPlane.stop()
    await network.stop()
  })
})

async function apply(object: Applied): Promise<void> {
  await kube.request({
    method: 'PATCH',
    path: `${paths[object.kind]}/${object.metadata.name}`,
    query: { fieldManager: 'test', force: true },
    contentType: applyPatch,
    body: object,
  })
}

const annotate = (annotations: Record<string, string | null>) =>
  kube.request({
    method: 'PATCH',
    path: `${paths.Service}/web`,
    contentType: mergePatch,
    body: { metadata: { annotations } },
  })

const pods = (...numbers: number[]): Pod[] =>
  numbers.map((number) => ({ address: `10.88.1.${number}`, zone: 'zone-a' }))

/** Its objects in the API and a stand-in that serves them; both are gone after the test. */
async function start(
  t: Test,
  { annotations = {}, env = {} as Record<string, string>, first = pods(1, 2, 3) } = {},
) {
  // nothing answers at the pods' addresses
  const unchecked = { 'haproxy.org/check': 'false', ...annotations }
  const objects = [ingressClass, service(unchecked), endpointSlice(first), ingress()]
  for (const object of objects) await apply(object)
  t.teardown(async () => {
    for (const { kind, metadata } of objects) {
      await kube.request({ method: 'DELETE', path: `${paths[kind]}/${metadata.name}` })
    }
  })

  const folder = await mkdtemp(join(tmpdir(), 'controller-'))
  const config = join(folder, 'cfg')
  const socket = join(folder, 'run/haproxy-runtime-api.sock')
  await mkdir(config)
  await writeFile(join(config, 'haproxy-aux.cfg'), 'resolvers zonefirst\n  nameserver none 127.0.0.1:1\n')
  const flags = [
    '--external',
    `--program=${process.env.HAPROXY}`,
    `--config-dir=${config}`,
    `--runtime-dir=${join(folder, 'run')}`,
    `--kubeconfig=${controlPlane.kubeconfig('admin')}`,
    '--ingress.class=haproxy',
    '--custom-validation-rules=haproxy-controller/zonefirst',
    '--ipv4-bind-address=127.0.0.1',
    '--sync-period=200ms',
  ]
  const component = createComponent({
    name: 'ingress-controller-standin',
    argv: ['env', 'ZONE=zone-a', ...assignments(env), 'ingress-controller-standin', ...flags],
    log: join(folder, 'log'),
    onUnexpectedEnd: (error) => t.fail(error.message),
  })
  component.start()
  t.teardown(() => component.stop('SIGTERM'))
  const run = (command: string) => {
    const connection = connect(socket)
    connection.end(`${command}\n`)
    return text(connection)
  }
  await until('HAProxy answers', () => run('show info'))
  return {
    run,
    stop: () => component.stop('SIGTERM'),
    log: () => component.log(),
    backend: async () => backendOf(await readFile(join(config, 'haproxy.cfg'), 'utf8')),
    worker: async () => /^Pid: (\d+)$/m.exec(await run('show info'))?.[1],
    /** Resolves when HAProxy's filled slots are these, in their order. */
    slots: (...wanted: string[]) =>
      until(`HAProxy has ${wanted}`, async () => {
        const found = filledSlots(await run(`show servers state ${name}`))
        return found.join() === wanted.join() || Promise.reject(new Error(`it has ${found}`))
      }),
  }
}

const assignments = (env: Record<string, string>) =>
  Object.entries(env).map(([key, value]) => `${key}=${value}`)

function filledSlots(state: string): string[] {
  const rows = state.split('\n').map((line) => line.split(' '))
  return rows
    .filter(([, backend, , server, address]) => {
      return backend === name && server?.startsWith('SRV_') && address !== '127.0.0.1'
    })
    .map(([, , , server, address]) => `${server}=${address}`)
}

const backendOf = (config: string) =>
  config.split(/\n\n/).find((part) => part.startsWith(`backend ${name} `)) ?? ''

t.test('endpoints fill and empty the prepared slots at run time, without a reload', async (t) => {
  const haproxy = await start(t)
  await haproxy.slots('SRV_1=10.88.1.1', 'SRV_2=10.88.1.2', 'SRV_3=10.88.1.3')
  const worker = await haproxy.worker()
  const [one, , three, four, five] = pods(1, 2, 3, 4, 5) as [Pod, Pod, Pod, Pod, Pod]
  await apply(endpointSlice([one, { ...three, ready: false }, four, five]))
  await haproxy.slots('SRV_1=10.88.1.1', 'SRV_2=10.88.1.4', 'SRV_3=10.88.1.5')
  await apply(endpointSlice([]))
  await haproxy.slots()
  await apply(endpointSlice([five]))
  await haproxy.slots('SRV_1=10.88.1.5')
  await until('the file has followed', async () =>
    (await haproxy.backend()).includes(
      'server SRV_1 10.88.1.5:8080 enabled\n  server SRV_2 127.0.0.1:1 disabled',
    ),
  )
  t.equal(await haproxy.worker(), worker, 'it is the same worker all the time')
  t.equal((await haproxy.log()).match(/HAProxy reloaded/g)?.length, 1, 'and the log counts the start alone')
})

t.test('endpoints that find no slot come with a reload', async (t) => {
  const haproxy = await start(t, {
    annotations: { 'haproxy.org/scale-server-slots': '2' },
    first: pods(1, 2),
  })
  await haproxy.slots('SRV_1=10.88.1.1', 'SRV_2=10.88.1.2')
  const worker = await haproxy.worker()
  await apply(endpointSlice(pods(1, 2, 3)))
  await haproxy.slots('SRV_1=10.88.1.1', 'SRV_2=10.88.1.2', 'SRV_3=10.88.1.3')
  t.not(await haproxy.worker(), worker)
  t.match(await haproxy.backend(), 'server SRV_6 127.0.0.1:1 disabled')
})

t.test('ValidationRules may come after the start; without the annotation all is as before', async (t) => {
  const haproxy = await start(t)
  const before = await haproxy.backend()
  const definition = parse(
    await readFile(join(root, 'test/tools/ingress-controller/validation-rules-crd.yaml'), 'utf8'),
  ) as Applied
  await apply(definition)
  t.teardown(() =>
    kube.request({ method: 'DELETE', path: `${paths.CustomResourceDefinition}/${definition.metadata.name}` }),
  )
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'haproxy-controller' } })
  const rules = validationRules({
    note: { type: 'string', rule: 'value != ""', template: '# {{.}} in {{.NAMESPACE}}' },
  })
  await until('the definition is served', () => apply(rules).then(() => true))
  await annotate({ 'backend.zonefirst.io/note': 'a note' })
  await until('the text is there', async () => (await haproxy.backend()).includes('  # a note in default\n'))
  await annotate({ 'backend.zonefirst.io/note': null })
  await until('the text is gone', async () => !(await haproxy.backend()).includes('a note'))
  t.equal(await haproxy.backend(), before)
})

t.test('a faulty snippet is left out until its text changes', async (t) => {
  const haproxy = await start(t)
  const snippet = (value: string) =>
    annotate({ 'haproxy.org/backend-config-snippet': value, 'haproxy.org/load-balance': 'leastconn' })
  await snippet('nonsense')
  await until('the rest is applied', async () => (await haproxy.backend()).includes('balance leastconn'))
  t.notMatch(await haproxy.backend(), 'nonsense')
  t.match(await haproxy.log(), 'the snippet ### service:default_svc_web_http/default/web ### is disabled')
  await snippet('# sense')
  await until('the new text is applied', async () => (await haproxy.backend()).includes('  # sense\n'))
})

t.test(
  'a resolvers name that does not exist freezes the configuration; endpoints still arrive',
  async (t) => {
    const haproxy = await start(t, { env: { ZONE_RESOLVERS: 'nobody' } })
    const before = await haproxy.backend()
    await annotate({
      'haproxy.org/backend-config-snippet':
        // biome-ignore lint/suspicious/noTemplateCurlyInString: HAProxy expands it, not we
        'server-template local- 2 web.invalid:80 resolvers "${ZONE_RESOLVERS}" init-addr none',
    })
    await until('HAProxy has refused it', async () => (await haproxy.log()).includes('the old one stays'))
    await apply(endpointSlice(pods(4)))
    await haproxy.slots('SRV_1=10.88.1.4')
    await annotate({ 'haproxy.org/backend-config-snippet': null })
    await until('the file is taken over again', async () =>
      (await haproxy.backend()).includes('SRV_1 10.88.1.4'),
    )
    t.not(await haproxy.backend(), before)
    t.equal((await haproxy.log()).match(/HAProxy reloaded/g)?.length, 1)
  },
)

t.test('SIGTERM ends HAProxy too', async (t) => {
  const haproxy = await start(t)
  await haproxy.stop()
  await t.rejects(haproxy.run('show info'), { code: /ECONNREFUSED|ENOENT/ })
})
