// Traffic stays in its zone, and growth changes nothing about that: by requests, by the kernel's counters of what
// crossed zones, and by what the HAProxies say. The same pods serve without zonefirst behind the Service "plain".
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import type { ServiceName } from '../scenario/application.ts'
import { type Backend, readBackends, untilServed, workerStarts } from '../scenario/routing.ts'
import { measureCrossing, sendFromEveryZone } from '../scenario/traffic.ts'
import { assertByZone, program, runApplication, runProxies, startSystem, untilRouted } from './system.ts'

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t)
})

const cross = (service: ServiceName) =>
  measureCrossing(cluster, () =>
    sendFromEveryZone(cluster, service, {
      path: `/bytes/${64 * 1024}`,
      requests: 200,
      connections: 4,
      timeout: 10_000,
    }),
  )
const six = async () => {
  await runApplication(cluster)
  await untilServed(cluster, 'plain', { proxies: 3, pods: 6, local: 0 })
  return untilRouted(cluster)
}

t.test('without zonefirst two thirds of the traffic leave their zone', async (t) => {
  await six()
  const { traffic, crossedBytes } = await cross('plain')
  t.equal(traffic.failed, 0)
  t.ok(traffic.crossedRequests > 0.6, `requests: ${traffic.crossedRequests}`)
  t.ok(crossedBytes > 0.6, `bytes: ${crossedBytes}`)
})

t.test('with zonefirst nothing does', async (t) => {
  await six()
  const { traffic, crossedBytes } = await cross('web')
  t.equal(traffic.requests, 600)
  t.equal(traffic.failed, 0)
  t.equal(traffic.crossedRequests, 0)
  t.ok(crossedBytes <= 0.01, `bytes: ${crossedBytes}`)
})

t.test('growth from 6 to 12 pods: no reload, and right flags', async (t) => {
  const before = await six()
  await cluster.kubectl('scale', 'deployment/web', '--replicas=12')
  const after = await untilRouted(cluster, 12)
  t.same(workerStarts(after), workerStarts(before), 'no HAProxy was reloaded')
  assertByZone(t, after)
})

const standInOnly = {
  skip: program.isReal && 'only the stand-in can write backup on single server lines',
}
t.test('backup on single lines fails at growth, and ours beside it does not', standInOnly, async (t) => {
  // first, since a slot keeps the flag that it was written with
  await six()
  await runProxies(cluster, { flags: ['--local-zone-backups'] })
  t.teardown(() => runProxies(cluster))
  await six()
  const before = (await readBackends(cluster, 'plain')).map(activeServers)
  t.same(before, [2, 2, 2], 'as started, the two pods of its own zone are active in each')

  await cluster.kubectl('scale', 'deployment/web', '--replicas=12')
  await untilRouted(cluster, 12)
  const after = await untilServed(cluster, 'plain', { proxies: 3, pods: 12, local: 0 })
  t.same(after.map(activeServers), [8, 8, 8], 'the fault: every new pod of every zone is active')
  const ours = await readBackends(cluster, 'web')
  t.same(ours.map(activeServers), [0, 0, 0])
})

function activeServers({ controllers }: Backend): number {
  return controllers.filter(({ isActive }) => isActive).length
}
