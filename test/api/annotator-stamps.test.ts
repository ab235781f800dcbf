// Stamps that the annotator gives or corrects, on a real API server: Nodes that get their zone late or change it, pods
// bound while the webhook was away, and zones whose names are no DNS labels.
import '../cluster/enter.ts'
import type { V1Pod } from '@kubernetes/client-node'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { ingress, openShop, pod, proxy, type Shop, service } from '../scenario/shop.ts'
import { type Stamp, stampOf, unstamped } from '../scenario/webhook-cluster.ts'
import { installZonefirst, systemNamespace } from '../scenario/zonefirst.ts'

const zones = [
  { zone: '0', key: '0', node: 'node-0-1' },
  { zone: 'PHX-AD-1', key: 'phx-ad-1-ad6871', node: 'node-phx-ad-1-1' },
  { zone: 'rack_a', key: 'rack-a-7bf9d3', node: 'node-rack-a-1' },
]
const cluster = await startCluster({ zones: zones.map(({ zone }) => zone) })
t.teardown(() => cluster.stop())
await installZonefirst(cluster, {
  annotatorEnv: { ZONEFIRST_GRACE_TIME: '2s', ZONEFIRST_RELEASE_TIME: '2s' },
})
const zoneLabel = 'topology.kubernetes.io/zone'

const stampIs = (shop: Shop, name: string, want: Stamp) =>
  cluster.until(`pod ${name} is stamped with zone ${want.zone}`, async () => {
    const found = stampOf(await shop.pod(name))
    return found.zone === want.zone && found.key === want.key && found.serves === want.serves && found
  })

const inZone = (zone: string): Stamp => ({ zone, key: zone, serves: zone })

t.test('zones whose names are numbers, have capitals or underscores', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(...zones.map(({ node, key }) => pod(`web-${key}`, node)), service('web'), ingress('web'))
  t.equal((await shop.untilServers('web')).name, 'web-in')
  t.strictSame(
    await shop.zonal('web'),
    zones.map(({ key }) => `web-in-${key}`),
  )
  for (const { zone, key } of zones) {
    t.strictSame(await stampIs(shop, `web-${key}`, { zone, key, serves: key }), { zone, key, serves: key })
    t.equal((await shop.service(`web-in-${key}`)).spec?.selector?.['zonefirst.io/serves'], key)
    await cluster.until(`web-in-${key} holds the pod of its zone`, async () => {
      return (await shop.endpoints(`web-in-${key}`)).join() === `web-${key}`
    })
  }
  const list = await cluster.kubectl('-n', systemNamespace, 'get', 'configmap/zonefirst-zones', '-o', 'json')
  t.strictSame(JSON.parse(list).data, Object.fromEntries(zones.map(({ zone, key }) => [key, zone])))
})

t.test('a Node that gets its zone late', async (t) => {
  const shop = await openShop(cluster, t)
  await cluster.kubectl('label', 'node', 'node-0-1', `${zoneLabel}-`)
  t.teardown(() => cluster.kubectl('label', '--overwrite', 'node', 'node-0-1', `${zoneLabel}=0`))
  await shop.apply(pod('web', 'node-0-1'), service('web'), ingress('web'), proxy('proxy', 'node-0-1'))
  await shop.kubectl('wait', '--for=condition=Ready', 'pod', '--all')
  await shop.untilCaughtUp('node-rack-a-1')
  t.strictSame(stampOf(await shop.pod('web')), unstamped)
  t.equal(await shop.servers('web'), undefined)
  t.match((await shop.untilEvent('proxy', 'NoZone')).message, /^its Node node-0-1 has no zone label/)

  await cluster.kubectl('label', 'node', 'node-0-1', `${zoneLabel}=late`)
  await stampIs(shop, 'web', inZone('late'))
  t.equal((await shop.untilServers('web')).name, 'web-in')
  await cluster.until('its zone’s Service holds it', async () => {
    return (await shop.endpoints('web-in-late')).join() === 'web'
  })

  await stampIs(shop, 'proxy', inZone('late'))
  const { message, type } = await shop.untilEvent('proxy', 'StampedLate')
  t.equal(type, 'Warning')
  t.match(message, /^stamped with zone late after its start.*: restart this pod$/)
})

t.test('a Node that loses its zone takes the stamps of its pods along', async (t) => {
  const shop = await openShop(cluster, t)
  await cluster.kubectl('label', '--overwrite', 'node', 'node-0-1', `${zoneLabel}=lost`)
  t.teardown(() => cluster.kubectl('label', '--overwrite', 'node', 'node-0-1', `${zoneLabel}=0`))
  const [labels, selector] = [{ app: 'web', 'zonefirst.io/enabled': 'true' }, { app: 'other' }]
  await shop.apply(
    pod('web', 'node-0-1', { labels }),
    pod('elsewhere', 'node-rack-a-1', { labels }),
    pod('other', 'node-rack-a-1', { labels: { ...labels, ...selector } }),
    service('web'),
    ingress('web'),
    service('other', { selector }),
    ingress('other'),
    proxy('proxy', 'node-0-1'),
  )
  await stampIs(shop, 'web', inZone('lost'))
  await stampIs(shop, 'proxy', inZone('lost'))
  await shop.untilServers('web')
  const others = await shop.untilServers('other')

  await cluster.kubectl('label', 'node', 'node-0-1', `${zoneLabel}-`)
  await stampIs(shop, 'web', unstamped)
  t.match((await shop.untilEvent('web', 'PodsNotStamped')).message, /^left alone: 1 of its 2 ready pods/)
  await cluster.until('the annotation is gone', async () => (await shop.servers('web')) === undefined)
  t.match((await shop.untilEvent('proxy', 'NoZone')).message, /restart this pod$/)
  t.strictSame(await shop.servers('other'), others, 'others are not concerned')
})

t.test('a Node that moves to another zone takes its pods along', async (t) => {
  const shop = await openShop(cluster, t)
  await cluster.kubectl('label', '--overwrite', 'node', 'node-0-1', `${zoneLabel}=before`)
  t.teardown(() => cluster.kubectl('label', '--overwrite', 'node', 'node-0-1', `${zoneLabel}=0`))
  await shop.apply(pod('web', 'node-0-1'), service('web'), ingress('web'))
  await stampIs(shop, 'web', inZone('before'))
  const servers = await shop.untilServers('web')

  await cluster.kubectl('label', '--overwrite', 'node', 'node-0-1', `${zoneLabel}=after`)
  await stampIs(shop, 'web', inZone('after'))
  await cluster.until('the zonal Services follow', async () => {
    const names = await shop.zonal('web')
    return names.includes('web-in-after') && !names.includes('web-in-before')
  })
  await cluster.until('the pod is in its new zone’s', async () => {
    return (await shop.endpoints('web-in-after')).join() === 'web'
  })
  t.strictSame(await shop.servers('web'), servers, 'the annotation knows no zones')
  t.notOk((await shop.events('web')).includes('Normal ZoneFirstOff'))
})

t.test('a stamp that somebody changes is made right', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web', 'node-rack-a-1'), service('web'), ingress('web'))
  const want = { zone: 'rack_a', key: 'rack-a-7bf9d3', serves: 'rack-a-7bf9d3' }
  await stampIs(shop, 'web', want)
  await shop.untilServers('web')
  await shop.kubectl('label', '--overwrite', 'pod/web', 'zonefirst.io/serves=0')
  await stampIs(shop, 'web', want)
  await shop.kubectl('annotate', 'pod/web', 'zonefirst.io/zone-')
  await stampIs(shop, 'web', want)
})

t.test('pods bound while the webhook was away are stamped by the annotator', async (t) => {
  const shop = await openShop(cluster, t)
  const scale = (replicas: number) =>
    cluster.kubectl('-n', systemNamespace, 'scale', 'deployment/zonefirst-webhook', `--replicas=${replicas}`)
  await scale(0)
  t.teardown(() => scale(2))
  await cluster.until('the webhook is away', async () => {
    const label = ['-l', 'app.kubernetes.io/name=zonefirst-webhook']
    return (await cluster.kubectl('-n', systemNamespace, 'get', 'pods', ...label, '-o', 'name')) === ''
  })
  const pods = Array.from({ length: 50 }, (_, n) => pod(`web-${n}`, 'node-rack-a-1'))
  await shop.apply(...pods, service('web'), ingress('web'))
  const want = { zone: 'rack_a', key: 'rack-a-7bf9d3', serves: 'rack-a-7bf9d3' }
  for (const { metadata } of pods) {
    await stampIs(shop, metadata.name ?? '', want)
    const found: V1Pod = await shop.pod(metadata.name ?? '')
    const managers = found.metadata?.managedFields?.map(({ manager }) => manager)
    t.ok(managers?.includes('zonefirst-annotator'), 'in the annotator’s name')
  }
  t.equal((await shop.untilServers('web')).name, 'web-in')
})
