// An autoscaler that goes up and down between 3 and 12 pods: HAProxy is reloaded when the slots first double, and not
// again. Its minute is shortened to the time that it takes until every HAProxy has heard of each step.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { type Backend, untilServed, workerStarts } from '../scenario/routing.ts'
import { runApplication, sendDuring, startSystem, untilRouted } from './system.ts'

const app = { replicas: 3, drainTime: 7 }

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t, { app })
})

const scale = async (pods: number): Promise<Backend[]> => {
  await cluster.kubectl('scale', 'deployment/web', `--replicas=${pods}`)
  return untilRouted(cluster, pods)
}
const slots = async () => {
  const service = JSON.parse(await cluster.kubectl('get', 'service', 'web', '-o', 'json'))
  return JSON.parse(service.metadata.annotations['backend.zonefirst.io/servers']).slots as number
}

for (const [how, up, down] of [
  ['by and by', [6, 9, 12], [9, 6, 3]],
  ['at once', [12], [3]],
] as const) {
  t.test(`from 3 to 12 pods and back, ${how}, three times`, async (t) => {
    await runApplication(cluster, { ...app, replicas: 0 })
    await cluster.kubectl('label', 'service/web', 'zonefirst.io/enabled=false', '--overwrite')
    await untilServed(cluster, 'web', { proxies: 3, pods: 0, local: 0 })
    // those that drain are ready still, and count
    await cluster.until('the pods of before are gone', async () => {
      return (await cluster.kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')) === ''
    })
    await cluster.kubectl('label', 'service/web', 'zonefirst.io/enabled-')
    await runApplication(cluster, app)
    const before = await untilRouted(cluster, 3)
    t.equal(await slots(), 8, 'three pods have the fewest slots')

    const { requests, failures } = await sendDuring(cluster, async () => {
      for (const pods of up) await scale(pods)
      const first = await scale(12)
      const doubled = await slots()
      t.ok(doubled > 8, `${doubled} slots for twelve pods`)
      // one a HAProxy
      const reloads = new Set([...workerStarts(before), ...workerStarts(first)]).size - before.length
      t.ok(reloads <= before.length, `${reloads} reloads of ${before.length} HAProxies on the way up`)
      for (const pods of [...down, ...up, ...down, ...up, ...down]) {
        t.same(workerStarts(await scale(pods)), workerStarts(first), `no reload at ${pods} pods`)
      }
      t.equal(await slots(), doubled, 'slots stay')
    })
    t.comment(`${requests} requests`)
    t.same(failures, {})
  })
}
