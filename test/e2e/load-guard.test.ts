// No zone is overloaded by locality: pods that are spread unevenly are lent, or a zone is opened, so that under even load
// no pod answers more than the bound lets it, and no more crosses zones than the planner, which unit tests hold against
// every possible assignment, says must.
import '../cluster/enter.ts'
import t from 'tap'
import { planLoad } from '../../annotator/load-guard/plan-load.ts'
import type { KubeObject } from '../../lib/kube.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { deployment } from '../scenario/application.ts'
import { readyPods, zonesOfPods } from '../scenario/traffic.ts'
import { send, startSystem, zones } from './system.ts'

const bound = 1.25
// a pod's share is a whole number of few requests
const measuring = 1.05
const requests = 240

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

/** The most that must cross with pods so spread, by the planner. */
async function leastCrossing(): Promise<number> {
  const home = await zonesOfPods(cluster)
  const pods = (await readyPods(cluster)).map(({ metadata }) => {
    const zone = home.get(metadata?.name ?? '') ?? ''
    return { name: metadata?.name ?? '', zone, serves: zone, pinned: false }
  })
  const plan = planLoad(new Map(zones.map((zone) => [zone, 1 / zones.length])), pods, bound)
  return plan?.crossing ?? Number.NaN
}

for (const counts of [
  [8, 1, 1],
  [4, 4, 3],
  [3, 3, 0],
  [1, 1, 1],
  [0, 0, 5],
]) {
  t.test(`pods ${counts.join('-')}`, async (t) => {
    await spread(counts)
    const fair = (requests * zones.length) / counts.reduce((sum, count) => sum + count, 0)
    const least = await leastCrossing()
    let seen = ''
    await cluster
      .until(
        'every pod is within the bound, and no more crosses than has to',
        async () => {
          const { zones: each, failed, crossedRequests } = await send(cluster, 'web', requests)
          const byPod = new Map<string, number>()
          for (const [pod, count] of each.flatMap(({ byPod }) => Object.entries(byPod))) {
            byPod.set(pod, (byPod.get(pod) ?? 0) + count)
          }
          const worst = Math.max(...byPod.values()) / fair
          seen = `worst pod ${worst.toFixed(2)} of its fair share, crossed ${crossedRequests.toFixed(3)} where ${least.toFixed(3)} must, ${failed} failed`
          return failed === 0 && worst <= bound * measuring && crossedRequests <= least + 0.05
        },
        { timeoutMs: 90_000, intervalMs: 1_000 },
      )
      .catch((error: unknown) => t.comment(String(error)))
    t.comment(seen)
    t.match(seen, / 0 failed$/)
    const [, worst = '9', crossed = '9'] = /worst pod ([\d.]+) .* crossed ([\d.]+) /.exec(seen) ?? []
    t.ok(Number(worst) <= bound * measuring, `the worst pod: ${worst}`)
    t.ok(Number(crossed) <= least + 0.05, `crossed: ${crossed}`)
  })
}
