// The rule alone, on a controller that runs: the one that ZONEFIRST_INGRESS_CONTROLLER names, or the stand-in. Each hostile
// value stands on a Service of its own, without an admission policy in the way; nothing of it reaches HAProxy's configuration.
import '../cluster/enter.ts'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { applyPatch } from '../../lib/kube.ts'
import { createComponent } from '../cluster/component.ts'
import { startControlPlane } from '../cluster/control-plane.ts'
import { createNetwork } from '../cluster/network.ts'
import { root } from '../cluster/tools.ts'
import { until } from '../cluster/until.ts'
import { goodValue, hostileAnnotations } from '../fixtures/hostile-annotations.ts'
import { proxyProgram } from '../scenario/proxies.ts'
import { httpPort, ingressClass } from './objects.ts'

const program = proxyProgram(process.env)
t.comment(`ingress controller: ${program.name}`)

const network = await createNetwork(['zone-a'])
const folder = await mkdtemp(join(tmpdir(), 'hostile-'))
const controlPlane = await startControlPlane({
  folder,
  onUnexpectedEnd: (error) => {
    throw error
  },
})
const kube = controlPlane.connectAs('admin')
t.teardown(async () => {
  await controlPlane.stop()
  await network.stop()
})

const collections: Record<string, string> = {
  Namespace: '/api/v1/namespaces',
  Service: '/api/v1/namespaces/default/services',
  Ingress: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
  IngressClass: '/apis/networking.k8s.io/v1/ingressclasses',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  ValidationRules: '/apis/ingress.v3.haproxy.org/v3/namespaces/haproxy-controller/validationrules',
}
interface Applied {
  kind: string
  metadata: { name: string }
}
const apply = (object: Applied) =>
  kube.request({
    method: 'PATCH',
    path: `${collections[object.kind]}/${object.metadata.name}`,
    query: { fieldManager: 'test', force: true },
    contentType: applyPatch,
    body: object,
  })
const read = async (file: string) => parse(await readFile(join(root, file), 'utf8')) as Applied

const service = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name,
    namespace: 'default',
    annotations: { 'backend.zonefirst.io/servers': value, 'haproxy.org/check': 'false' },
  },
  spec: { selector: { app: name }, ports: [httpPort] },
})
const backendOf = (name: string) => `default_svc_${name}_http`
const trials = Object.keys(hostileAnnotations('')).map((what, index) => {
  const name = `web-${index}`
  return { what, name, value: hostileAnnotations(backendOf(name))[what] ?? '' }
})
const proper = {
  name: 'proper',
  value: JSON.stringify({ ...goodValue, ports: { [backendOf('proper')]: 8080 } }),
}

/** Runs until the test ends; resolves to what its configuration has by backend, when every trial is in it. */
async function configuration(): Promise<ReadonlyMap<string, string>> {
  const [config, runtime] = [join(folder, 'cfg'), join(folder, 'haproxy')]
  await Promise.all([mkdir(config), mkdir(runtime)])
  await writeFile(join(config, 'haproxy-aux.cfg'), 'resolvers zonefirst\n  nameserver none 127.0.0.1:1\n')
  const flags = [
    '--external',
    `--program=${process.env.HAPROXY}`,
    `--config-dir=${config}`,
    `--runtime-dir=${runtime}`,
    `--kubeconfig=${controlPlane.kubeconfig('admin')}`,
    '--ingress.class=haproxy',
    '--custom-validation-rules=haproxy-controller/zonefirst',
    '--disable-config-snippets=all',
    '--ipv4-bind-address=127.0.0.1',
    '--http-bind-port=8000',
    '--disable-ipv6',
    '--disable-https',
    '--disable-quic',
    '--disable-ingress-status-update',
    '--sync-period=500ms',
  ]
  const variables = [
    'ZONE=zone-a',
    'ZONE_RESOLVERS=zonefirst',
    'POD_NAMESPACE=haproxy-controller',
    'POD_NAME=a-b-c',
  ]
  const component = createComponent({
    name: 'ingress controller',
    argv: ['env', ...variables, resolve(root, program.path), ...flags],
    log: join(folder, 'controller.log'),
    onUnexpectedEnd: (error) => t.fail(error.message),
  })
  component.start()
  t.teardown(() => component.stop('SIGTERM'))
  return until(
    'the controller has written every backend',
    async () => {
      const text = await readFile(join(config, 'haproxy.cfg'), 'utf8')
      const parts = text.split(/\n(?=(?:backend|frontend|defaults|global|resolvers) )/)
      const backends = new Map(parts.map((part) => [/^backend (\S+)/.exec(part)?.[1] ?? '', part]))
      const [missing] = [proper, ...trials].filter(
        ({ name }) => !backends.get(backendOf(name))?.includes('### zonefirst.io/servers ###'),
      )
      if (missing !== undefined) throw new Error(`${missing.name} is not there yet`)
      return backends
    },
    { timeoutMs: 60_000 },
  )
}

t.test('the rule refuses each, and leaves nothing but comments', async (t) => {
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'haproxy-controller' } } as Applied)
  await apply(await read('test/tools/ingress-controller/validation-rules-crd.yaml'))
  const rules = await read('manifests/ingress-controller/validation-rules.yaml')
  await until('the definition is served', () => apply(rules).then(() => true))
  await apply(ingressClass)
  for (const { name, value } of [proper, ...trials]) await apply(service(name, value))
  await apply({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'all', namespace: 'default' },
    spec: {
      ingressClassName: 'haproxy',
      rules: [proper, ...trials].map(({ name }) => ({
        host: `${name}.test`,
        http: {
          paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port: { name: 'http' } } } }],
        },
      })),
    },
  } as Applied)

  const backends = await configuration()
  t.match(backends.get(backendOf(proper.name)), /server-template local-8080- 8 "web-in-/, 'ours goes through')
  for (const { what, name } of trials) {
    const text = backends.get(backendOf(name)) ?? ''
    const [, block = ''] =
      /### zonefirst\.io\/servers ###\n([\s\S]*?)\n *###_config-snippet_### END/.exec(text) ?? []
    t.match(block, /# ERROR/, `${what}: said so`)
    const others = block.split('\n').filter((line) => !/^\s*(#.*)?$/.test(line))
    t.strictSame(others, [], `${what}: nothing but comments`)
    t.notMatch(text.replace(block, ''), /evil|server-template|kube-system/, `${what}: nothing around it`)
  }
})
