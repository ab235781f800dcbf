// Opting out, in either way, leaves Services and namespace as they were before, and no request fails meanwhile.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { namespace } from '../scenario/application.ts'
import { untilServed } from '../scenario/routing.ts'
import { snapshot } from '../scenario/snapshot.ts'
import { runApplication, send, sendDuring, startSystem, untilRouted } from './system.ts'

/** Opting out by the pod template is a rollout, which the pods have to end well. */
const drainTime = 5

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t, { app: { optedIn: false, drainTime } })
})

const untilUnrouted = async () => {
  await untilServed(cluster, 'web', { proxies: 3, pods: 6, local: 0 })
  await cluster.until('the zonal Services are gone', async () => {
    return !(await cluster.kubectl('get', 'services', '-o', 'name')).includes('web-in-')
  })
}
const label = (change: string) => cluster.kubectl('label', 'service/web', `zonefirst.io/enabled${change}`)

t.test('by the label on the pod template', async (t) => {
  await runApplication(cluster, { optedIn: false, drainTime })
  await untilUnrouted()
  const before = await snapshot(cluster, namespace)
  await runApplication(cluster, { drainTime })
  await untilRouted(cluster)

  const { failures } = await sendDuring(cluster, async () => {
    await runApplication(cluster, { optedIn: false, drainTime })
    await untilUnrouted()
  })
  t.same(failures, {})
  t.same(await snapshot(cluster, namespace), before)
  const { zones } = await send(cluster)
  for (const { zone, byPod } of zones) t.equal(Object.keys(byPod).length, 6, `${zone}: all pods answer`)
})

t.test('by the label on the Service', async (t) => {
  t.teardown(() => label('-'))
  await label('=false')
  await runApplication(cluster, { drainTime })
  await untilUnrouted()
  const before = await snapshot(cluster, namespace)
  await label('-')
  await untilRouted(cluster)

  const { failures } = await sendDuring(cluster, async () => {
    await label('=false')
    await untilUnrouted()
  })
  t.same(failures, {})
  t.same(await snapshot(cluster, namespace), before)
  const { zones } = await send(cluster)
  for (const { zone, byPod } of zones) t.equal(Object.keys(byPod).length, 6, `${zone}: all pods answer`)
})
