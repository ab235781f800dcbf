// What users have of their own beside ours: a snippet on the Service, and several routed ports.
import '../cluster/enter.ts'
import { get, type IncomingMessage } from 'node:http'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { ingress, namespace } from '../scenario/application.ts'
import { readServers, type ServerStats } from '../scenario/haproxy-stats.ts'
import { statsPort } from '../scenario/proxies.ts'
import { readyProxies, zonesOfPods } from '../scenario/traffic.ts'
import { runApplication, send, startSystem, untilRouted } from './system.ts'

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t)
})

t.test('the user’s own snippet stays as it is, and both take effect', async (t) => {
  await runApplication(cluster)
  const key = 'haproxy.org/backend-config-snippet'
  const snippet = 'http-response set-header x-mine yes\n\n# a comment  \n'
  await cluster.kubectl('annotate', 'service/web', '--overwrite', `${key}=${snippet}`)
  t.teardown(() => cluster.kubectl('annotate', 'service/web', `${key}-`))
  await untilRouted(cluster)
  const proxies = await readyProxies(cluster)
  for (const { zone, address } of proxies) {
    const has = async () => {
      return (await ask(address, 'web.test')).headers['x-mine'] === 'yes'
    }
    t.ok(await cluster.until(`the snippet has its effect in ${zone}`, has), zone)
  }
  await untilRouted(cluster)
  const traffic = await send(cluster)
  t.equal(traffic.failed, 0)
  t.equal(traffic.crossedRequests, 0)
  const { annotations } = JSON.parse(await cluster.kubectl('get', 'service', 'web', '-o', 'json')).metadata
  t.equal(annotations[key], snippet)
})

t.test(
  'an Ingress that asks for a backend of its own has it routed by zone beside the shared one',
  async (t) => {
    await untilRouted(cluster)
    const alone = ingress('web')
    alone.metadata = {
      ...alone.metadata,
      name: 'alone',
      annotations: { 'haproxy.org/standalone-backend': 'true' },
    }
    Object(alone).spec.rules[0].host = 'alone.test'
    await cluster.apply(alone)
    t.teardown(() => cluster.kubectl('delete', 'ingress/alone'))
    for (const { zone, address } of await readyProxies(cluster)) {
      for (const backend of [`${namespace}_svc_web_http`, `${namespace}_alone_svc_web_http`]) {
        await cluster.until(`${zone} has its two local servers in ${backend}`, async () => {
          const servers = (await readServers(`${address}:${statsPort}`)).filter(
            (server) => server.backend === backend && server.status.startsWith('UP'),
          )
          const local = servers.filter(({ server }) => server.startsWith('local-'))
          return (
            local.length === 2 &&
            servers.length === 8 &&
            servers.every((one) => one.isActive === local.includes(one))
          )
        })
      }
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(address, 'alone.test')))
      const zones = await zonesOfPods(cluster)
      const served = answers.map(({ headers }) => zones.get(String(headers['x-pod'])))
      t.same(new Set(served), new Set([zone]), `${zone}: its own pods answer`)
    }
  },
)

t.test('each of several routed ports of a Service reaches its own port of the pods', async (t) => {
  await cluster.apply(two())
  t.teardown(() => cluster.kubectl('delete', 'deployment/two', 'service/two', 'ingress/two'))
  const proxies = await readyProxies(cluster)
  for (const [name, port] of Object.entries(ports)) {
    const isLocal = ({ backend, server, status }: ServerStats) =>
      backend === `${namespace}_svc_two_${name}` &&
      server.startsWith(`local-${port}-`) &&
      status.startsWith('UP')
    for (const { zone, address } of proxies) {
      await cluster.until(`${zone} has a local server for ${name}`, async () => {
        return (await readServers(`${address}:${statsPort}`)).some(isLocal)
      })
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(address, `${name}.two.test`)))
      const pods = answers.map(({ headers }) => headers['x-pod'])
      t.same(new Set(pods), new Set([`${name} on node-${zone}-1`]), `${zone}: ${name}`)
    }
  }
})

const ports = { web: 8080, admin: 9090 }

/** Two containers in each pod, one a port, that answer with the port's name and their Node. */
function two(): object[] {
  const labels = { app: 'two', 'zonefirst.io/enabled': 'true' }
  const names = Object.keys(ports) as (keyof typeof ports)[]
  const container = (name: keyof typeof ports) => ({
    name,
    image: 'example.test/app',
    command: ['node', 'test/cluster/app.ts'],
    env: [
      { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'POD', value: `${name} on $(NODE)` },
      { name: 'PORT', value: String(ports[name]) },
    ],
    ports: [{ name, containerPort: ports[name] }],
    readinessProbe: { httpGet: { path: '/', port: name }, periodSeconds: 1 },
  })
  const metadata = { name: 'two', namespace }
  const spread = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'two' } },
  }
  const spec = { topologySpreadConstraints: [spread], containers: names.map(container) }
  const rule = (name: string) => {
    const backend = { service: { name: 'two', port: { name } } }
    return { host: `${name}.two.test`, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }
  }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'two' } },
        template: { metadata: { labels }, spec },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: {
        selector: { app: 'two' },
        ports: names.map((name, index) => ({ name, port: 80 + index, targetPort: name })),
      },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata,
      spec: { ingressClassName: 'haproxy', rules: names.map(rule) },
    },
  ]
}

/** fetch doesn't let the Host header be set. */
function ask(address: string, host: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: address, headers: { host } }, (answer) => resolve(answer.resume())).on('error', reject)
  })
}
