// All pods of a zone vanish without a sign: fewer requests fail than with the controller alone, on the same pods through
// the same HAProxies at the same time.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { median } from '../scenario/median.ts'
import { loseZone, type ZoneLoss } from '../scenario/zone-loss.ts'
import { startSystem, untilRouted, zones } from './system.ts'

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t)
  await untilRouted(cluster)
})

t.test('a zone is lost, three times', async (t) => {
  const losses: ZoneLoss[] = []
  for (const zone of zones) losses.push(await loseZone(cluster, { zone, rate: 30, seconds: 6 }))
  for (const { requests, failed, failedWithoutZonefirst } of losses) {
    t.comment(`of ${requests} requests failed ${failed}, without zonefirst ${failedWithoutZonefirst}`)
  }
  const failed = median(losses.map((loss) => loss.failed))
  const without = median(losses.map(({ failedWithoutZonefirst }) => failedWithoutZonefirst))
  t.ok(without > 0, 'the loss is felt')
  t.ok(failed < without, `${failed} against ${without}`)
})
