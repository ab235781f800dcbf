// A rolling restart of the application under load on every zone: what fails with zonefirst and without, on the same pods
// through the same HAProxies at the same time.
import type { Cluster } from '../cluster/cluster.ts'
import { untilServed } from './routing.ts'
import { type Outcome, outcomeOf, readyPods, sendWhile } from './traffic.ts'

export interface Pair {
  withZonefirst: Outcome
  without: Outcome
}

export interface RestartOptions {
  /** requests a second from each zone to each of the two Services */
  rate: number
}

/** Resolves when all HAProxies serve the new pods, the load has ended and every answer is there. */
export async function restartUnderLoad(cluster: Cluster, { rate }: RestartOptions): Promise<Pair> {
  const pods = (await readyPods(cluster)).length
  const proxies = cluster.zones.length
  const load = { path: '/', rate, connections: 100, timeout: 10_000 }
  const [web, plain] = await sendWhile(cluster, ['web', 'plain'], load, async () => {
    await cluster.kubectl('rollout', 'restart', 'deployment/web')
    await cluster.kubectl('rollout', 'status', 'deployment/web', '--timeout=90s')
    await cluster.until('the old pods are gone', async () => {
      const all = await cluster.kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')
      return all.trim().split('\n').length === pods
    })
    await untilServed(cluster, 'web', { proxies, pods, local: pods / proxies })
    await untilServed(cluster, 'plain', { proxies, pods, local: 0 })
  })
  return { withZonefirst: outcomeOf(web), without: outcomeOf(plain) }
}
