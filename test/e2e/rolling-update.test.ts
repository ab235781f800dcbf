// Rolling restarts with load on every zone: of pods that stop gracefully nobody notices, of pods that die at once no more
// is lost than with the controller alone, but for chance. `make bench-restarts` is the long form.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { median } from '../scenario/median.ts'
import { type Pair, restartUnderLoad } from '../scenario/rolling-restart.ts'
import { runApplication, send, sendDuring, startSystem, untilRouted } from './system.ts'

/** As pods behind any proxy that hears of them by DNS should: CoreDNS tells no later than after its TTL of 5 s. */
const app = { drainTime: 5 }
/** Requests that may fail on either side by chance, as a share of all. */
const margin = 0.01

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

t.test('of pods that die at once, no more fails than without zonefirst, in three restarts', async (t) => {
  await runApplication(cluster, { dieAtOnce: true })
  await untilRouted(cluster)
  const pairs: Pair[] = []
  for (let number = 0; number < 3; number++) pairs.push(await restartUnderLoad(cluster, { rate: 50 }))
  for (const { withZonefirst, without } of pairs) {
    t.comment(
      `of ${withZonefirst.requests} failed ${withZonefirst.failed}, without zonefirst ${without.failed} of ${without.requests}`,
    )
  }
  const failed = median(pairs.map(({ withZonefirst }) => withZonefirst.failed))
  const without = median(pairs.map((pair) => pair.without.failed))
  const requests = median(pairs.map(({ withZonefirst }) => withZonefirst.requests))
  t.ok(failed <= without + margin * requests, `${failed} against ${without}`)
})
