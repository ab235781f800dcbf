// All pods of a zone vanish without a sign: fewer requests fail than with the controller alone, on the same pods through
// the same HAProxies at the same time.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { median } from '../scenario/median.ts'
import type { Pair } from '../scenario/rolling-restart.ts'
import { loseZone } from '../scenario/zone-loss.ts'
import { startSystem, untilRouted, zones } from './system.ts'

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t)
  await untilRouted(cluster)
})

t.test('a zone is lost, three times', async (t) => {
  const losses: Pair[] = []
  for (const zone of zones) losses.push(await loseZone(cluster, { zone, rate: 30, seconds: 6 }))
  for (const { withZonefirst, without } of losses) {
    t.comment(
      `of ${without.requests} requests failed ${withZonefirst.failed}, without zonefirst ${without.failed}`,
    )
  }
  const failed = median(losses.map(({ withZonefirst }) => withZonefirst.failed))
  const without = median(losses.map((loss) => loss.without.failed))
  t.ok(without > 0, 'the loss is felt')
  t.ok(failed < without, `${failed} against ${without}`)
})
