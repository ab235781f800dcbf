// A zone's application pods vanish silently under load: what fails with zonefirst and without, on the same pods through
// the same HAProxies at the same time.
import type { Cluster } from '../cluster/cluster.ts'
import type { Pair } from './rolling-restart.ts'
import { untilServed } from './routing.ts'
import { outcomeOf, readyPods, sendFromEveryZone, zonesOfPods } from './traffic.ts'

export interface ZoneLossOptions {
  zone: string
  /** requests a second from each zone to each of the two Services */
  rate: number
  seconds: number
}

export async function loseZone(cluster: Cluster, { zone, rate, seconds }: ZoneLossOptions): Promise<Pair> {
  const zones = await zonesOfPods(cluster)
  const pods = await readyPods(cluster)
  const lost = pods.filter((pod) => zones.get(pod.metadata?.name ?? '') === zone)
  const load = { path: '/', requests: rate * seconds, rate, connections: 100, timeout: 10_000 }
  const loads = Promise.all([
    sendFromEveryZone(cluster, 'web', load),
    sendFromEveryZone(cluster, 'plain', load),
  ])
  try {
    // traffic first, so that there are connections to lose
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await cluster.kubelet.vanish(lost)
    const [web, plain] = await loads
    return { withZonefirst: outcomeOf(web), without: outcomeOf(plain) }
  } finally {
    await loads.catch(() => {})
    await cluster.kubelet.restore(lost)
    const local = pods.length / cluster.zones.length
    await untilServed(cluster, 'web', { proxies: cluster.zones.length, pods: pods.length, local })
    await untilServed(cluster, 'plain', { proxies: cluster.zones.length, pods: pods.length, local: 0 })
  }
}
