// Nothing of ours is in the path of a request: with webhook and annotator away, what is routed stays routed. What was
// missed meanwhile is made up for.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { systemNamespace } from '../scenario/zonefirst.ts'
import { runApplication, send, startSystem, untilRouted } from './system.ts'

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t)
})

const scale = async (name: 'webhook' | 'annotator', replicas: number) => {
  const where = ['-n', systemNamespace]
  await cluster.kubectl(...where, 'scale', `deployment/zonefirst-${name}`, `--replicas=${replicas}`)
  if (replicas > 0) {
    const deployment = `deployment/zonefirst-${name}`
    await cluster.kubectl(...where, 'rollout', 'status', deployment, '--timeout=90s')
  } else {
    const selector = `app.kubernetes.io/name=zonefirst-${name}`
    await cluster.kubectl(...where, 'wait', '--for=delete', 'pod', '-l', selector, '--timeout=60s')
  }
}
const bothUp = async () => {
  await scale('webhook', 2)
  await scale('annotator', 1)
}
const grow = async () => {
  await cluster.kubectl('scale', 'deployment/web', '--replicas=9')
  await cluster.kubectl('rollout', 'status', 'deployment/web', '--timeout=90s')
}
const stamps = async () => {
  const column =
    'custom-columns=S:.metadata.labels.zonefirst\\.io/serves,Z:.metadata.annotations.zonefirst\\.io/zone'
  const lines = await cluster.kubectl('get', 'pods', '-l', 'app=web', '--no-headers', '-o', column)
  return lines.trim().split('\n')
}

t.test(
  'webhook and annotator away: traffic stays local, new pods serve as backups, until both are back',
  async (t) => {
    await bothUp()
    await runApplication(cluster)
    await untilRouted(cluster)

    await scale('webhook', 0)
    await scale('annotator', 0)
    t.equal((await send(cluster)).crossedRequests, 0)
    await grow()
    await untilRouted(cluster, 9, 2)
    t.equal((await stamps()).filter((line) => line.includes('none')).length, 3, 'three have no stamp')
    const during = await send(cluster)
    t.equal(during.failed, 0)
    t.equal(during.crossedRequests, 0)
    for (const { zone, byPod } of during.zones) {
      t.equal(Object.keys(byPod).length, 2, `${zone}: the stamped two answer all`)
    }

    await bothUp()
    await untilRouted(cluster, 9, 3)
    t.notOk(
      (await stamps()).some((line) => line.includes('none')),
      'all have their stamp',
    )
    const after = await send(cluster)
    t.equal(after.failed, 0)
    t.equal(after.crossedRequests, 0)
    for (const { zone, byPod } of after.zones) t.equal(Object.keys(byPod).length, 3, `${zone}: three answer`)
  },
)

t.test('the webhook alone is enough for growth', async (t) => {
  await bothUp()
  await runApplication(cluster)
  await untilRouted(cluster)

  await scale('annotator', 0)
  await grow()
  await untilRouted(cluster, 9, 3)
  t.equal((await send(cluster)).crossedRequests, 0)
})
