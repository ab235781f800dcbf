// A rolling restart of pods that stop gracefully, with load on every zone: nobody notices.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { send, sendDuring, startSystem, untilRouted } from './system.ts'

/** As pods behind any proxy that hears of them by DNS should: CoreDNS tells no later than after its TTL of 5 s. */
const app = { drainTime: 5 }

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t, { app })
  await untilRouted(cluster)
})

t.test('no request fails through a rolling restart, and traffic is local after it', async (t) => {
  const { requests, failures } = await sendDuring(cluster, async () => {
    await cluster.kubectl('rollout', 'restart', 'deployment/web')
    await cluster.kubectl('rollout', 'status', 'deployment/web', '--timeout=90s')
    await untilRouted(cluster)
  })
  t.comment(`${requests} requests`)
  t.same(failures, {})
  const after = await send(cluster)
  t.equal(after.failed, 0)
  t.equal(after.crossedRequests, 0)
})
