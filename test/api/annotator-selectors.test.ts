// Selectors on a real API server: of a Service that is switched to other pods, and of several that select the same ones.
import '../cluster/enter.ts'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { ingress, openRoutedShop, openShop, pod, proxy, service } from '../scenario/shop.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
await installZonefirst(cluster)

t.test('a switch to pods that have not opted in: no zonal Service holds on to the others', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  t.not((await shop.endpoints('web-in-a')).length, 0)
  await shop.apply(pod('green', 'node-a-1', { labels: { app: 'green' } }))
  await shop.kubectl('wait', '--for=condition=Ready', 'pod/green')
  await shop.apply(service('web', { selector: { app: 'green' } }))
  await cluster.until('the zonal Services select none of the old pods', async () => {
    const left = await Promise.all(['web-in-a', 'web-in-b'].map((name) => shop.endpoints(name)))
    return left.flat().length === 0
  })
  t.equal((await shop.servers('web'))?.name, 'web-in', 'while the annotation has its patience')
  await shop.apply(service('web'))
  await cluster.until('and back', async () => (await shop.endpoints('web-in-b')).length > 0)
})

t.test('a pod that lacks the named target port ends the routing', async (t) => {
  const shop = await openRoutedShop(cluster, t)
  const other = pod('other', 'node-a-1')
  Object(other).spec.containers[0].ports[0].name = 'metrics'
  await shop.apply(other)
  t.match((await shop.untilEvent('web', 'SeveralTargetPorts')).message, /missing on others \(other\)/)
  await cluster.until('the annotation is gone', async () => (await shop.servers('web')) === undefined)
})

t.test('a Service beside one whose pods are lent leaves them alone', async (t) => {
  const shop = await openShop(cluster, t)
  const names = ['web-1', 'web-2', 'web-3', 'web-4']
  await shop.apply(
    proxy('proxy-a', 'node-a-1'),
    proxy('proxy-b', 'node-b-1'),
    ...names.map((name, index) => pod(name, index < 3 ? 'node-a-1' : 'node-b-1')),
    service('web'),
    service('metrics', { clusterIP: 'None' }),
  )
  await shop.kubectl('wait', '--for=condition=Ready', 'pod', '--all')
  await shop.untilCaughtUp('node-a-1')
  const answer = await cluster.kube.stream({
    method: 'GET',
    path: `/api/v1/namespaces/${shop.namespace}/pods`,
    query: { watch: true, labelSelector: 'app=web' },
  })
  const writes: string[] = []
  t.teardown(() => void answer.destroy())
  answer.setEncoding('utf8').on('data', (text: string) => writes.push(...text.split('\n').filter(Boolean)))
  await shop.apply(ingress('web'))
  await shop.untilServers('web')
  await shop.untilCaughtUp('node-a-1')
  const lent = (await shop.pods('app=web')).filter(
    ({ metadata }) => metadata?.labels?.['zonefirst.io/serves'] === 'b',
  )
  t.equal(lent.length, 2, 'b has borrowed one')
  const changes = writes.filter((line) => line.startsWith('{"type":"MODIFIED"'))
  t.equal(changes.length, 1, 'which was one write, and nobody took it back')
})
