// An ingress controller that was never prepared, or only half, works on as without zonefirst: the annotation that the
// others understand does nothing there.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { readServers } from '../scenario/haproxy-stats.ts'
import { type ProxyOptions, statsPort } from '../scenario/proxies.ts'
import { untilServed } from '../scenario/routing.ts'
import { readyProxies } from '../scenario/traffic.ts'
import { runProxies, send, startSystem, untilRouted } from './system.ts'

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t)
  await untilRouted(cluster)
})

const cases: Record<string, Pick<ProxyOptions, 'without' | 'empty'>> = {
  'without ZONE': { without: ['ZONE'] },
  'without ZONE_RESOLVERS': { without: ['ZONE_RESOLVERS'] },
  'with an empty ZONE': { empty: ['ZONE'] },
  'with an empty ZONE_RESOLVERS': { empty: ['ZONE_RESOLVERS'] },
}
for (const [name, options] of Object.entries(cases)) {
  t.test(name, async (t) => {
    await runProxies(cluster, options)
    for (const service of ['web', 'plain'] as const) {
      await untilServed(cluster, service, { proxies: 3, pods: 6, local: 0 })
    }
    // behind the Service "plain", which zonefirst leaves alone, are the same pods
    for (const { zone, address } of await readyProxies(cluster)) {
      const servers = await readServers(`${address}:${statsPort}`)
      const of = (service: string) =>
        servers
          .filter(({ backend }) => backend === `default_svc_${service}_http`)
          .map(({ server, status, isActive, isBackup }) => {
            // a count of checks on its way to the next state is of the moment
            return { server, status: status.replace(/ \d+\/\d+$/, ''), isActive, isBackup }
          })
      t.same(of('web'), of('plain'), `${zone}: the same servers in the same states`)
      t.equal(of('web').length, 42, `${zone}: the controller's slots alone`)
    }
    const traffic = await send(cluster)
    t.equal(traffic.failed, 0)
    for (const { zone, byPod } of traffic.zones) {
      t.equal(Object.keys(byPod).length, 6, `${zone}: all pods of all zones answer`)
    }
  })
}
