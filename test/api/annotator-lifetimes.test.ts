// The annotator on a real API server, while what its work is about comes and goes as a whole: Services, namespaces, zones, and
// the API server itself.
import '../cluster/enter.ts'
import { writeFile } from 'node:fs/promises'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { openRoutedShop, service } from '../scenario/shop.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'

const zones = ['a', 'b', 'c']
const cluster = await startCluster({ zones })
t.teardown(() => cluster.stop())
await installZonefirst(cluster, {
  annotatorEnv: { ZONEFIRST_GRACE_TIME: '2s', ZONEFIRST_RELEASE_TIME: '2s' },
})

const zonal = (keys: readonly string[] = zones) => keys.map((key) => `web-in-${key}`)

t.test('deleting the primary takes its zonal Services along', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  await shop.kubectl('delete', 'service/web')
  await cluster.until('no Service is left', async () => (await shop.services()).length === 0)
  await shop.apply(service('web'))
  await shop.untilServers('web')
  t.strictSame(await shop.zonal('web'), zonal(), 'and its next life has its own')
})

t.test('a primary that is replaced by a new one of its name keeps the names', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  const { uid } = (await shop.service('web')).metadata
  const file = `${cluster.folder}/web.json`
  await writeFile(file, JSON.stringify(service('web')))
  await shop.kubectl('replace', '--force', '-f', file)
  t.equal((await shop.untilServers('web')).name, 'web-in')
  const primary = await shop.service('web')
  t.not(primary.metadata.uid, uid)
  await cluster.until('each zonal Service is the new one’s, for good', async () => {
    const owners = await Promise.all(zonal().map((name) => shop.service(name)))
    return owners.every(({ metadata }) => metadata.ownerReferences?.[0]?.uid === primary.metadata.uid)
  })
  t.strictSame((await shop.service('web-in-a')).metadata.ownerReferences?.length, 1)
})

t.test('the API server starts again: all is followed, and nothing is written anew', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  const before = await shop.versions('web')
  const server = cluster.controlPlane.components['kube-apiserver']
  await server.stop()
  server.start()
  await cluster.controlPlane.ready()
  await shop.untilCaughtUp('node-a-1')
  t.strictSame(await shop.versions('web'), before)
  await shop.kubectl('delete', 'service/web-in-a')
  await cluster.until('it is there again', () => shop.service('web-in-a'))
})

t.test('a namespace with everything in it can be deleted while the annotator works', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  await cluster.kubectl('delete', 'namespace', shop.namespace, '--timeout=60s')
  await t.rejects(cluster.kubectl('get', 'namespace', shop.namespace), /NotFound/)
})

t.test('zones come and go with their Nodes', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  const before = await shop.servers('web')
  const metadata = { name: 'node-d-1', labels: { 'topology.kubernetes.io/zone': 'd' } }
  await cluster.kube.request({ method: 'POST', path: '/api/v1/nodes', body: { metadata } })
  const is = (keys: readonly string[]) => async () => (await shop.zonal('web')).join() === zonal(keys).join()
  await cluster.until('zone d has its zonal Service', is([...zones, 'd']))
  await cluster.kubectl('delete', 'node', 'node-d-1')
  await cluster.until('zone d has none', is(zones))
  t.strictSame(await shop.servers('web'), before, 'the annotation knows no zones')
})
