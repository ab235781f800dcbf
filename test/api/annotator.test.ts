// The annotator on a real API server, installed from the manifests with everything that belongs to it: what it writes
// for a Service, and how that follows what users change of it. What comes and goes around it, what it refuses, and how it
// lets go, is in the files beside this.
import '../cluster/enter.ts'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { deployment, ingress, openRoutedShop, openShop, pod, service } from '../scenario/shop.ts'
import { installZonefirst, systemNamespace } from '../scenario/zonefirst.ts'

const zones = ['a', 'b', 'c']
const cluster = await startCluster({ zones })
t.teardown(() => cluster.stop())
await installZonefirst(cluster, {
  annotatorEnv: { ZONEFIRST_GRACE_TIME: '2s', ZONEFIRST_RELEASE_TIME: '2s' },
})

const annotation = 'backend.zonefirst.io/servers'
const zonalOf = (prefix: string, keys: readonly string[] = zones) => keys.map((key) => `${prefix}-${key}`)

t.test('an opted-in Deployment behind a routed Service', async (t) => {
  const shop = await openShop(cluster, t)
  const labels = { 'app.kubernetes.io/instance': 'web', 'app.kubernetes.io/managed-by': 'Helm' }
  const annotations = {
    'meta.helm.sh/release-name': 'web',
    'argocd.argoproj.io/tracking-id': 'web:/Service:web',
  }
  await shop.apply(
    deployment('web', 4, ['a', 'b']),
    service('web', {}, { labels, annotations }),
    ingress('web'),
  )
  const ports = { [`${shop.namespace}_svc_web_http`]: 8080 }
  t.strictSame(await shop.untilServers('web'), { name: 'web-in', slots: 8, ports })
  t.strictSame(
    await shop.zonal('web'),
    zonalOf('web-in'),
    'one for each zone that has Nodes, pods or no pods',
  )
  const event = await shop.untilEvent('web', 'ZoneFirst')
  t.match(event.message, 'web-in-a, web-in-b, web-in-c')

  const primary = await shop.service('web')
  for (const zone of zones) {
    const { metadata, spec } = await shop.service(`web-in-${zone}`)
    t.strictSame(metadata.labels, { 'zonefirst.io/zonal-service': zone }, 'nothing of the primary’s metadata')
    t.equal(metadata.annotations, undefined)
    const { name, uid } = primary.metadata
    t.strictSame(metadata.ownerReferences, [
      { apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: false },
    ])
    t.strictSame(spec?.selector, { app: 'web', 'zonefirst.io/serves': zone })
    t.equal(spec?.clusterIP, 'None')
    t.strictSame(spec?.ports, [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' }])
    t.strictSame(spec?.ipFamilies, ['IPv4'])

    const pods = await shop.pods('app=web')
    const here = pods.filter(({ spec }) => spec?.nodeName === `node-${zone}-1`)
    const names = here.map(({ metadata }) => metadata?.name).sort()
    await cluster.until(`the EndpointSlices of web-in-${zone} hold its pods`, async () => {
      const found = await shop.endpoints(`web-in-${zone}`)
      return found.join() === names.join() && (zone === 'c' ? names.length === 0 : names.length > 0)
    })
  }

  const { managedFields, annotations: now, labels: labelsNow } = primary.metadata
  const own = managedFields?.filter(({ manager }) => manager === 'zonefirst-annotator')
  t.match(own, [
    { operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${annotation}`]: {} } } } },
  ])
  t.strictSame(Object.keys(own?.[0]?.fieldsV1 ?? {}), ['f:metadata'])
  t.strictSame(Object.keys(Object(own?.[0]?.fieldsV1)['f:metadata']), ['f:annotations'])
  t.match(now, annotations)
  t.strictSame(labelsNow, labels)
})

t.test('once all is written, nothing more is, whatever is read again', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  await shop.untilCaughtUp('node-a-1')
  const before = await shop.versions('web')
  t.strictSame(Object.keys(before), ['web', ...zonalOf('web-in')])
  await cluster.kubectl('-n', systemNamespace, 'rollout', 'restart', 'deployment/zonefirst-annotator')
  const rollout = ['rollout', 'status', 'deployment/zonefirst-annotator', '--timeout=90s']
  await cluster.kubectl('-n', systemNamespace, ...rollout)
  await shop.untilCaughtUp('node-a-1')
  t.strictSame(await shop.versions('web'), before)
  t.strictSame(await shop.events('web'), ['Normal ZoneFirst'])
})

t.test('ports follow the Ingresses', async (t) => {
  const shop = await openShop(cluster, t)
  const ports = [
    { name: 'http', port: 80, targetPort: 'http' },
    { name: 'admin', port: 81, targetPort: 9090 },
  ]
  const [http, admin] = ports.map(({ name }) => `${shop.namespace}_svc_web_${name}`)
  await shop.apply(pod('web-a', 'node-a-1'), service('web', { ports } as never), ingress('web'))
  t.strictSame((await shop.untilServers('web')).ports, { [`${http}`]: 8080 })
  await shop.apply(ingress('web', ['http', 'admin']))
  const both = await shop.untilServers('web', ({ ports }) => Object.keys(ports).length === 2)
  t.strictSame(both.ports, { [`${admin}`]: 9090, [`${http}`]: 8080 })
  await shop.apply(ingress('web', ['admin']))
  const one = await shop.untilServers('web', ({ ports }) => Object.keys(ports).length === 1)
  t.strictSame(one.ports, { [`${admin}`]: 9090 })
  t.match((await shop.service('web-in-a')).spec?.ports, [{ port: 80 }, { port: 81 }])
})

t.test('slots double before the pods fill them, and stay when they are fewer again', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(deployment('web', 4, ['a', 'b']), service('web'), ingress('web'))
  t.equal((await shop.untilServers('web')).slots, 8)
  await shop.kubectl('scale', 'deployment/web', '--replicas=9')
  await shop.untilServers('web', ({ slots }) => slots === 16)
  await shop.kubectl('scale', 'deployment/web', '--replicas=4')
  await cluster.until('four pods are left', async () => (await shop.endpoints('web')).length === 4)
  await shop.untilCaughtUp('node-a-1')
  t.equal((await shop.servers('web'))?.slots, 16)
})

t.test('what somebody takes away comes back', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  const { uid } = (await shop.service('web-in-a')).metadata
  await shop.kubectl('delete', 'service/web-in-a')
  const again = await cluster.until('it is there again', () => shop.service('web-in-a'))
  t.not(again.metadata.uid, uid)
  t.strictSame(again.spec?.selector, { app: 'web', 'zonefirst.io/serves': 'a' })

  // as a tool does that owns the whole object
  const primary = await shop.service('web')
  const { managedFields: _fields, annotations: _ours, ...metadata } = primary.metadata
  await cluster.kube.request({
    method: 'PUT',
    path: `/api/v1/namespaces/${shop.namespace}/services/web`,
    query: { fieldManager: 'gitops' },
    body: { ...primary, metadata },
  })
  t.equal((await shop.untilServers('web')).name, 'web-in')
  t.equal((await shop.service('web')).metadata.uid, primary.metadata.uid)
})

t.test(
  'labels and annotations that users put on zonal Services are theirs; the key is restored',
  async (t) => {
    const shop = await openRoutedShop(cluster, t)
    await shop.kubectl('label', 'service/web-in-a', 'team=shop')
    await shop.kubectl('annotate', 'service/web-in-a', 'note=kept')
    const { resourceVersion } = (await shop.service('web-in-a')).metadata
    await shop.untilCaughtUp('node-a-1')
    const { metadata } = await shop.service('web-in-a')
    t.equal(metadata.resourceVersion, resourceVersion)
    t.match(metadata, { labels: { team: 'shop' }, annotations: { note: 'kept' } })

    await shop.kubectl('label', '--overwrite', 'service/web-in-a', 'zonefirst.io/zonal-service=b')
    await cluster.until('the key is right again', async () => {
      const { labels } = (await shop.service('web-in-a')).metadata
      return labels?.['zonefirst.io/zonal-service'] === 'a' && labels.team === 'shop'
    })
  },
)

t.test('a change of the primary’s selector reaches the zonal Services', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  await shop.kubectl('label', 'pod', '--all', 'tier=front')
  await shop.apply(service('web', { selector: { app: 'web', tier: 'front' } }))
  const want = 'app,tier,zonefirst.io/serves'
  await cluster.until('the selector follows', async () => {
    const { spec } = await shop.service('web-in-b')
    return Object.keys(spec?.selector ?? {}).join() === want
  })
  t.equal((await shop.servers('web'))?.name, 'web-in')
})

t.test('a Service that its own label takes in is routed at all its ports, by whatever Ingress', async (t) => {
  const shop = await openShop(cluster, t)
  const ports = [
    { name: 'http', port: 80, targetPort: 'http' },
    { name: 'admin', port: 81, targetPort: 9090 },
  ]
  const labels = { 'zonefirst.io/enabled': 'true' }
  const elsewhere = ingress('web')
  Object(elsewhere).spec.ingressClassName = 'unknown'
  await shop.apply(pod('web-a', 'node-a-1'), service('web', { ports } as never, { labels }), elsewhere)
  const want = { [`${shop.namespace}_svc_web_admin`]: 9090, [`${shop.namespace}_svc_web_http`]: 8080 }
  t.strictSame((await shop.untilServers('web')).ports, want)
  await shop.kubectl('delete', 'ingress/web')
  t.match((await shop.untilEvent('web', 'NoIngress')).message, /no Ingress routes to it/)
  t.equal(await shop.servers('web'), undefined, 'a TCP resource would not hear of it')
})
