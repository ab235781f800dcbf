// What the annotator leaves alone on a real API server: an Event says why, and nothing is written, or what was written
// goes. Foreign Services under its names stay as they are.
import '../cluster/enter.ts'
import t from 'tap'
import type { KubeObject } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { ingress, openShop, pod, service } from '../scenario/shop.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
await installZonefirst(cluster, {
  annotatorEnv: { ZONEFIRST_GRACE_TIME: '2s', ZONEFIRST_RELEASE_TIME: '2s' },
})

const annotation = 'backend.zonefirst.io/servers'
const optIn = { 'zonefirst.io/enabled': 'true' }
const hashed = /^zf-[0-9a-f]{10}$/

/** Adds a zone by a Node without machine and waits until the annotator knows it; the test's end takes it away. */
async function addZone(t: { teardown(action: () => unknown): void }, zone: string): Promise<void> {
  const metadata = { name: `node-${zone}-1`, labels: { 'topology.kubernetes.io/zone': zone } }
  await cluster.kube.request({ method: 'POST', path: '/api/v1/nodes', body: { metadata } })
  t.teardown(() => cluster.kubectl('delete', 'node', metadata.name))
  const path = '/api/v1/namespaces/zonefirst-system/configmaps/zonefirst-zones'
  await cluster.until('the annotator knows the zone', async () => {
    const { data } = await cluster.kube.request<{ data: Record<string, string> }>({ method: 'GET', path })
    return data[zone] === zone
  })
}

const rows: {
  name: string
  want: string[]
  service: KubeObject
  others?: KubeObject[]
}[] = [
  {
    name: 'an ExternalName',
    want: ['Warning ExternalName'],
    service: service(
      'external',
      { type: 'ExternalName', externalName: 'elsewhere.test', selector: null as never },
      { labels: optIn },
    ),
  },
  {
    name: 'no selector, with endpoints by hand that name opted-in pods',
    want: ['Warning NoSelector'],
    service: service('by-hand', { selector: null as never }),
    others: [
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'by-hand', labels: { 'kubernetes.io/service-name': 'by-hand' } },
        addressType: 'IPv4',
        ports: [{ name: 'http', port: 8080 }],
        endpoints: [{ addresses: ['10.88.0.99'], targetRef: { kind: 'Pod', name: 'web-a' } }],
      } as KubeObject,
    ],
  },
  {
    name: 'a Service that publishes addresses of pods that are not ready',
    want: ['Warning PublishesNotReadyAddresses'],
    service: service('early', { publishNotReadyAddresses: true }),
  },
  {
    name: 'our own label in the selector',
    want: ['Warning OwnLabelInSelector'],
    service: service('own-label', { selector: { app: 'web', 'zonefirst.io/serves': 'a' } }),
  },
  {
    name: 'a named target port that means different numbers',
    want: ['Warning SeveralTargetPorts'],
    service: service('mixed', { selector: { app: 'mixed' } }),
    others: [
      pod('mixed-1', 'node-a-1', { labels: { ...optIn, app: 'mixed' } }),
      pod('mixed-2', 'node-b-1', { labels: { ...optIn, app: 'mixed' } }, 8081),
    ],
  },
  {
    name: 'a named target port that no container has',
    want: ['Warning UnknownTargetPort'],
    service: service('unknown', { ports: [{ name: 'http', port: 80, targetPort: 'nowhere' as never }] }),
  },
  {
    name: 'only some of the ready pods opted in',
    want: ['Warning PodsNotStamped'],
    service: service('half', { selector: { app: 'half' } }),
    others: [
      pod('half-1', 'node-a-1', { labels: { ...optIn, app: 'half' } }),
      pod('half-2', 'node-b-1', { labels: { app: 'half' } }),
    ],
  },
  {
    name: 'no pod opted in: nobody asked, so there is no Event',
    want: [],
    service: service('plain', { selector: { app: 'plain' } }),
    others: [pod('plain-1', 'node-a-1', { labels: { app: 'plain' } })],
  },
  {
    name: 'kept out by its own label: no Event',
    want: [],
    service: service('kept-out', {}, { labels: { 'zonefirst.io/enabled': 'false' } }),
  },
]

t.test('what it refuses', async (t) => {
  const shop = await openShop(cluster, t)
  const isPod = ({ kind }: KubeObject) => kind === 'Pod'
  const others = rows.flatMap(({ others = [] }) => others)
  await shop.apply(pod('web-a', 'node-a-1'), ...others.filter(isPod))
  await shop.kubectl('wait', '--for=condition=Ready', 'pod', '--all')
  await shop.apply(...rows.map(({ service }) => service), ...others.filter((each) => !isPod(each)))
  // a Service has its EndpointSlices one by one: what is to be refused has to be seen as a whole
  for (const name of ['mixed', 'half']) {
    const isWhole = async () => (await shop.endpoints(name)).length === 2
    await cluster.until(`the EndpointSlices of ${name} hold its pods`, isWhole)
  }
  const before = await shop.versions('')
  await shop.apply(...rows.map(({ service }) => ingress(service.metadata.name ?? '')))
  // an Ingress of the other product that is called haproxy too
  const theirs = { controller: 'haproxy-ingress.github.io/controller' }
  await cluster.apply({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'other' },
    spec: theirs,
  })
  const elsewhere = ingress('elsewhere')
  Object(elsewhere).spec.ingressClassName = 'other'
  await shop.apply(service('elsewhere'), elsewhere)

  for (const { name, want, service } of rows) {
    const of = service.metadata.name ?? ''
    for (const each of want) await shop.untilEvent(of, each.split(' ')[1] ?? '')
    t.strictSame(await shop.events(of), want, name)
  }
  await shop.untilCaughtUp('node-a-1')
  t.strictSame(await shop.events('elsewhere'), [], 'another controller’s class: no Event')
  const after = await shop.versions('')
  for (const name of Object.keys(after))
    if (name.startsWith('caught-up-') || name === 'elsewhere') delete after[name]
  t.strictSame(after, before, 'no Service was written, and none is new')
  const { message } = await shop.untilEvent('half', 'PodsNotStamped')
  t.match(message, '1 of its 2 ready pods are opted in and stamped')
})

t.test('a ready pod that has not opted in ends the routing, and its end brings it back', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  const servers = await shop.untilServers('web')
  await shop.apply(pod('stranger', 'node-b-1', { labels: { app: 'web' } }))
  await cluster.until('the annotation is gone', async () => (await shop.servers('web')) === undefined)
  await shop.untilEvent('web', 'PodsNotStamped')
  await shop.untilEvent('web', 'ZoneFirstOff')
  await cluster.until('so are the zonal Services', async () => (await shop.zonal('web')).length === 0)
  await shop.kubectl('delete', 'pod/stranger')
  t.strictSame(await shop.untilServers('web'), servers)
  t.strictSame(await shop.zonal('web'), ['web-in-a', 'web-in-b'])
})

t.test('a selector that is taken away takes all that was written along', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  await shop.untilServers('web')
  const patch = JSON.stringify([{ op: 'remove', path: '/spec/selector' }])
  await shop.kubectl('patch', 'service/web', '--type=json', '-p', patch)
  await shop.untilEvent('web', 'NoSelector')
  await cluster.until('annotation and zonal Services are gone', async () => {
    return (await shop.servers('web')) === undefined && (await shop.zonal('web')).length === 0
  })
})

t.test('Services whose readable names could be too long or another’s have hashed ones', async (t) => {
  const shop = await openShop(cluster, t)
  const names = ['w'.repeat(63), 'web-in-side']
  await shop.apply(pod('web-a', 'node-a-1'), ...names.flatMap((name) => [service(name), ingress(name)]))
  for (const name of names) {
    const { name: prefix, ports } = await shop.untilServers(name)
    t.match(prefix, hashed, name)
    t.strictSame(ports, { [`${shop.namespace}_svc_${name}_http`]: 8080 })
    t.strictSame(await shop.zonal(name), [`${prefix}-a`, `${prefix}-b`])
    await cluster.until('the zone’s pods are in it', async () => {
      return (await shop.endpoints(`${prefix}-a`)).join() === 'web-a'
    })
  }
})

t.test('a foreign Service that was first is left alone, and other names are taken', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(service('web-in-d'))
  await addZone(t, 'd')
  const foreign = await shop.service('web-in-d')
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  const { name: prefix } = await shop.untilServers('web')
  t.match(prefix, hashed)
  t.strictSame(await shop.zonal('web'), [`${prefix}-a`, `${prefix}-b`, `${prefix}-d`])
  t.strictSame(await shop.service('web-in-d'), foreign)
})

t.test('a foreign Service under a name that a new zone makes ours is left alone, too', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  t.equal((await shop.untilServers('web')).name, 'web-in')
  await shop.apply(service('web-in-e'))
  const foreign = await shop.service('web-in-e')
  await addZone(t, 'e')
  await shop.untilEvent('web', 'NameTaken')
  const value = (await shop.service('web')).metadata.annotations?.[annotation]
  t.notMatch(value ?? '', '"web-in"', 'HAProxy no longer asks for the foreign name')
  const { name: prefix } = await shop.untilServers('web', ({ name }) => hashed.test(name))
  await cluster.until('the old zonal Services are gone', async () => {
    const want = [`${prefix}-a`, `${prefix}-b`, `${prefix}-e`]
    return (await shop.zonal('web')).join() === want.join()
  })
  t.strictSame(await shop.service('web-in-e'), foreign)
})
