// No zone is overloaded by locality: pods that are spread unevenly are lent, or a zone is opened, so that no pod answers
// more than the bound lets it, and no more crosses zones than the planner, which unit tests hold against every possible
// assignment, says must. Under even load, and where zones have uneven shares of it.
import '../cluster/enter.ts'
import t from 'tap'
import { planLoad } from '../../annotator/load-guard/plan-load.ts'
import type { KubeObject } from '../../lib/kube.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { deployment } from '../scenario/application.ts'
import { readyPods, sendFromEveryZone, zonesOfPods } from '../scenario/traffic.ts'
import { systemNamespace } from '../scenario/zonefirst.ts'
import { startSystem, zones } from './system.ts'

const bound = 1.25
// a pod's share is a whole number of few requests
const measuring = 1.05
const requests = 720
const even = [1, 1, 1]
// HAProxy 2.6 goes on using connections that it holds to a server's pod after another pod has taken the server over; the
// application ends those that are idle for five seconds.
const betweenTries = 7_000

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t, { app: { replicas: 0 } })
})

/** A Deployment in each zone, all behind the same Service. */
async function spread(counts: readonly number[]): Promise<void> {
  await cluster.apply(zones.map((zone, index) => inZone(zone, counts[index] ?? 0)))
  for (const zone of zones) {
    await cluster.kubectl('rollout', 'status', `deployment/web-${zone}`, '--timeout=90s')
  }
  const all = counts.reduce((sum, count) => sum + count, 0)
  await cluster.until('only these pods are ready', async () => (await readyPods(cluster)).length === all)
}

function inZone(zone: string, replicas: number): KubeObject {
  const whole = deployment({ replicas, optedIn: true }) as KubeObject & {
    spec: { selector: object; template: { metadata: { labels: object }; spec: object } }
  }
  const { spec, metadata } = whole.spec.template
  const labels = { ...metadata.labels, zone }
  const { topologySpreadConstraints: _, ...pod } = spec as { topologySpreadConstraints?: unknown }
  const nodeSelector = { 'topology.kubernetes.io/zone': zone }
  return {
    ...whole,
    metadata: { ...whole.metadata, name: `web-${zone}` },
    spec: {
      ...whole.spec,
      selector: { matchLabels: { app: 'web', zone } },
      template: { metadata: { labels }, spec: { ...pod, nodeSelector } },
    },
  } as KubeObject
}

/** Each zone's share of the traffic, as an administrator tells it; without that the ready controllers' share, an even one. */
async function share(weights: readonly number[]): Promise<void> {
  const value = weights === even ? '-' : `=${zones.map((zone, index) => `${zone}=${weights[index]}`).join()}`
  const annotator = ['-n', systemNamespace, 'deployment/zonefirst-annotator']
  await cluster.kubectl('set', 'env', ...annotator, `ZONEFIRST_ZONE_SHARES${value}`)
  await cluster.kubectl('rollout', 'status', ...annotator, '--timeout=90s')
}

const sharesOf = (weights: readonly number[]) => {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return new Map(zones.map((zone, index) => [zone as string, (weights[index] ?? 0) / all]))
}

/** The least that must cross with pods so spread, by the planner. */
async function leastCrossing(weights: readonly number[]): Promise<number> {
  const home = await zonesOfPods(cluster)
  const pods = (await readyPods(cluster)).map(({ metadata }) => {
    const zone = home.get(metadata?.name ?? '') ?? ''
    return { name: metadata?.name ?? '', zone, serves: zone, pinned: false }
  })
  return planLoad(sharesOf(weights), pods, bound)?.crossing ?? Number.NaN
}

/** So many requests in all, to each zone its share. */
async function sendShares(weights: readonly number[]) {
  const shares = sharesOf(weights)
  const { zones: each, ...traffic } = await sendFromEveryZone(cluster, 'web', (zone) => {
    return { path: '/', requests: requests * (shares.get(zone) ?? 0), connections: 4, timeout: 10_000 }
  })
  const byPod = new Map<string, number>()
  for (const [pod, count] of each.flatMap(({ byPod }) => Object.entries(byPod))) {
    byPod.set(pod, (byPod.get(pod) ?? 0) + count)
  }
  return { ...traffic, most: Math.max(...byPod.values()) }
}

for (const [counts, weights] of [
  [[8, 1, 1], even],
  [[4, 4, 3], even],
  [[3, 3, 0], even],
  [[1, 1, 1], even],
  [[0, 0, 5], even],
  [
    [4, 4, 3],
    [50, 30, 20],
  ],
  [
    [8, 1, 1],
    [20, 30, 50],
  ],
  [
    [2, 2, 2],
    [60, 30, 10],
  ],
] as const) {
  t.test(`pods ${counts.join('-')}, traffic ${weights.join('-')}`, async (t) => {
    await share(weights)
    await spread(counts)
    const fair = requests / counts.reduce<number>((sum, count) => sum + count, 0)
    const least = await leastCrossing(weights)
    let seen = { failed: 0, worst: 0, crossed: 0 }
    const isRight = () => seen.failed === 0 && seen.worst <= bound * measuring && seen.crossed <= least + 0.05
    await cluster
      .until(
        'every pod is within the bound, and no more crosses than has to',
        async () => {
          const { most, failed, crossedRequests } = await sendShares(weights)
          seen = { failed, worst: most / fair, crossed: crossedRequests }
          return isRight()
        },
        { timeoutMs: 90_000, intervalMs: betweenTries },
      )
      .catch((error: unknown) => t.comment(String(error)))
    const { failed, worst, crossed } = seen
    const [worstText, crossedText, leastText] = [worst.toFixed(2), crossed.toFixed(3), least.toFixed(3)]
    t.comment(`worst pod ${worstText} of its fair share, crossed ${crossedText} where ${leastText} must`)
    t.equal(failed, 0)
    t.ok(worst <= bound * measuring, `the worst pod: ${worstText}`)
    t.ok(crossed <= least + 0.05, `crossed: ${crossedText}`)
  })
}
