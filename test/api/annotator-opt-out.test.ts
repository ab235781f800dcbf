// Letting go, on a real API server: the annotation goes first, the zonal Services when no HAProxy can still ask for
// them, and then everything is as it was.
import '../cluster/enter.ts'
import t from 'tap'
import { Informer } from '../../lib/informer.ts'
import { serversAnnotation } from '../../lib/names.ts'
import { startCluster } from '../cluster/cluster.ts'
import { deployment, ingress, openShop, pod, type Shop, service } from '../scenario/shop.ts'
import { snapshot } from '../scenario/snapshot.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
await installZonefirst(cluster, {
  annotatorEnv: { ZONEFIRST_GRACE_TIME: '2s', ZONEFIRST_RELEASE_TIME: '2s' },
})

/** What happens to the Services of a namespace, in order, from now on. */
async function follow(t: { teardown(action: () => void): void }, shop: Shop): Promise<string[]> {
  const seen: string[] = []
  const isAnnotated = ({ annotations = {} }: { annotations?: Record<string, string> }) =>
    serversAnnotation in annotations
  const services = new Informer({
    kube: cluster.kube,
    path: `/api/v1/namespaces/${shop.namespace}/services`,
    project: ({ metadata }) => metadata,
    onChange(now, before) {
      if (now && before && isAnnotated(before) && !isAnnotated(now)) seen.push(`${now.name}: no annotation`)
      if (!now) seen.push(`${before?.name}: gone`)
    },
  })
  t.teardown(() => services.stop())
  services.start()
  await services.synced()
  return seen
}

async function untilRoutedSettled(shop: Shop): Promise<void> {
  await shop.untilServers('web')
  await cluster.until('both zonal Services are there', async () => (await shop.zonal('web')).length === 2)
}

const untilLetGo = (shop: Shop) =>
  cluster.until('annotation and zonal Services are gone', async () => {
    return (await shop.servers('web')) === undefined && (await shop.zonal('web')).length === 0
  })

const letGo = ['web: no annotation', 'web-in-a: gone', 'web-in-b: gone']
const inOrder = ([first = '', ...rest]: readonly string[]) => [first, ...rest.sort()]

t.test('a Service that its own label keeps out', async (t) => {
  const shop = await openShop(cluster, t)
  const labels = { 'zonefirst.io/enabled': 'false', team: 'shop' }
  const annotations = { note: 'kept', 'haproxy.org/backend-config-snippet': 'option httpchk\n' }
  await shop.apply(
    pod('web-a', 'node-a-1'),
    pod('web-b', 'node-b-1'),
    service('web', {}, { labels, annotations }),
    ingress('web'),
  )
  await shop.untilCaughtUp('node-a-1')
  const pristine = await snapshot(cluster, shop.namespace)
  await shop.kubectl('label', 'service/web', 'zonefirst.io/enabled-')
  await untilRoutedSettled(shop)

  const seen = await follow(t, shop)
  await shop.kubectl('label', 'service/web', 'zonefirst.io/enabled=false')
  await untilLetGo(shop)
  t.strictSame(await snapshot(cluster, shop.namespace), pristine)
  await cluster.until('all that was seen', () => seen.length >= 3)
  t.strictSame(inOrder(seen), letGo, 'the annotation first')
  const { message } = await shop.untilEvent('web', 'ZoneFirstOff')
  t.match(message, 'routed as without zonefirst again: its label zonefirst.io/enabled is "false"')
  const managers = (await shop.service('web')).metadata.managedFields?.map(({ manager }) => manager)
  t.notOk(managers?.includes('zonefirst-annotator'), 'it owns no field any more')
})

t.test('the opt-in label taken off the pod template', async (t) => {
  const shop = await openShop(cluster, t)
  const optedIn = deployment('web', 4, ['a', 'b'])
  const optedOut = structuredClone(optedIn)
  Object(optedOut).spec.template.metadata.labels = { app: 'web' }
  const rollout = () => shop.kubectl('rollout', 'status', 'deployment/web', '--timeout=90s')
  await shop.apply(optedOut, service('web'), ingress('web'))
  await rollout()
  const pristine = await snapshot(cluster, shop.namespace)
  await shop.apply(optedIn)
  await rollout()
  await untilRoutedSettled(shop)

  const seen = await follow(t, shop)
  await shop.apply(optedOut)
  await rollout()
  await untilLetGo(shop)
  t.strictSame(await snapshot(cluster, shop.namespace), pristine)
  await cluster.until('all that was seen', () => seen.length >= 3)
  t.strictSame(inOrder(seen), letGo, 'the annotation first')
})

t.test('no Ingress routes to it any more, and then one does again', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'))
  await shop.untilCaughtUp('node-a-1')
  const pristine = await shop.service('web')
  await shop.apply(ingress('web'))
  await untilRoutedSettled(shop)
  const servers = await shop.servers('web')

  const seen = await follow(t, shop)
  await shop.kubectl('delete', 'ingress/web')
  await untilLetGo(shop)
  await cluster.until('all that was seen', () => seen.length >= 3)
  t.strictSame(inOrder(seen), letGo, 'the annotation first')
  t.strictSame((await shop.service('web')).spec, pristine.spec)
  await shop.apply(ingress('web'))
  await untilRoutedSettled(shop)
  t.strictSame(await shop.servers('web'), servers)
})

t.test('an Ingress that is replaced by another changes nothing', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  await untilRoutedSettled(shop)
  const before = await shop.versions('web')
  const next = ingress('web')
  next.metadata.name = 'web2'
  await shop.apply(next)
  await shop.kubectl('delete', 'ingress/web')
  await shop.untilCaughtUp('node-a-1')
  t.strictSame(await shop.versions('web'), before)
})
