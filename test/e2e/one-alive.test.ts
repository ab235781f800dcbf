// One of six local pods is alive under the load of six: pods of other zones take what it can't, so that no request waits
// in vain for a connection to it while they idle.
import '../cluster/enter.ts'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { untilServed } from '../scenario/routing.ts'
import { outcomeOf, readyPods, sendWhile, zonesOfPods } from '../scenario/traffic.ts'
import { program, startSystem, untilRouted, zones } from './system.ts'

/** Of each HAProxy to each pod, by zone: with 400 ms a request, six pods of a zone answer 60 requests a second. */
const connections = 4
/** Four fifths of that. */
const load = { path: '/slow/400', rate: 48, connections: 500, timeout: 15_000 }
const [zone] = zones

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t, { app: { replicas: 18 } })
  // the real controller divides it by the number of its pods
  const limit = program.isReal ? connections * zones.length : connections
  await cluster.kubectl('annotate', 'service/web', `haproxy.org/pod-maxconn=${limit}`)
  // While they got ready one by one a pod may have been lent, by so little of the traffic that it isn't worth taking back.
  // A Service that is routed anew finds all of them ready.
  await cluster.kubectl('label', 'service/web', 'zonefirst.io/enabled=false')
  await untilServed(cluster, 'web', { proxies: zones.length, pods: 18, local: 0 })
  await cluster.kubectl('label', 'service/web', 'zonefirst.io/enabled-')
  await untilRouted(cluster, 18)
})

const podsOf = async (zone: string) => {
  const home = await zonesOfPods(cluster)
  return (await readyPods(cluster)).filter(({ metadata }) => home.get(metadata?.name ?? '') === zone)
}

t.test('five of six pods of a zone end, and nobody replaces them', async (t) => {
  const [node = ''] = (await podsOf(zone)).map(({ spec }) => spec?.nodeName ?? '')
  const names = (await podsOf(zone)).map(({ metadata }) => metadata?.name ?? '')
  t.equal(names.length, 6)
  const [traffic] = await sendWhile(cluster, ['web'], load, async () => {
    await cluster.kubectl('cordon', node)
    t.teardown(() => cluster.kubectl('uncordon', node))
    await cluster.kubectl('delete', 'pod', ...names.slice(1))
    await cluster.until('pods are lent to the zone, or it is open to all', async () => {
      const ready = await readyPods(cluster)
      return ready.filter(({ metadata }) => metadata?.labels?.['zonefirst.io/serves'] === zone).length !== 1
    })
    // a request that has waited so long for a connection fails
    await pause(6_000)
  })
  const { requests, failures } = outcomeOf(traffic)
  t.comment(`${requests} requests, p99 by zone ${traffic?.zones.map(({ p99Ms }) => p99Ms).join(', ')} ms`)
  t.same(failures, {})
  const here = traffic?.zones.find((each) => each.zone === zone)
  t.ok(Object.keys(here?.byPod ?? {}).length > 6, 'pods of other zones help')
})
