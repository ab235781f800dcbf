import { Registry } from 'prom-client'
import t from 'tap'
import { type State, stateMetrics, workMetrics } from '../../annotator/metrics.ts'
import type { Pod } from '../../annotator/objects/objects.ts'
import { pod } from '../fixtures/cluster-objects.ts'

/** The samples of one metric, without its prefix. */
async function samples(registry: Registry, name: string): Promise<string[]> {
  const text = await registry.getSingleMetricAsString(`zonefirst_annotator_${name}`)
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.replace('zonefirst_annotator_', ''))
}

t.test('each Service counts once, as it was seen last', async (t) => {
  const registry = new Registry()
  const { onOutcome, onAdvice } = workMetrics(registry)
  onOutcome('shop/web', 'NoZones')
  onOutcome('shop/web', 'Routed', 2)
  onOutcome('shop/api', 'Routed', 1)
  onOutcome('shop/gone', 'Routed', 4)
  onOutcome('shop/gone', undefined)
  t.strictSame(await samples(registry, 'services'), ['services{outcome="Routed"} 2'])
  t.strictSame(await samples(registry, 'open_zones'), ['open_zones 3'])
  onOutcome('shop/web', 'Routed')
  t.strictSame(await samples(registry, 'open_zones'), ['open_zones 1'])

  onAdvice('shop/web', ['TooFewSlots', 'MaxconnDivided'])
  onAdvice('shop/api', ['TooFewSlots'])
  onAdvice('shop/web', [])
  t.strictSame(await samples(registry, 'advised_services'), ['advised_services{reason="TooFewSlots"} 1'])
})

t.test('what happens is counted', async (t) => {
  const registry = new Registry()
  const { onFailure, onBackfill, onReconciled } = workMetrics(registry)
  onFailure()
  onBackfill()
  onBackfill()
  onReconciled(0.05)
  t.strictSame(await samples(registry, 'failures_total'), ['failures_total 1'])
  t.strictSame(await samples(registry, 'backfilled_pods_total'), ['backfilled_pods_total 2'])
  t.match(await samples(registry, 'reconcile_seconds'), [
    'reconcile_seconds_bucket{le="0.001"} 0',
    'reconcile_seconds_bucket{le="0.01"} 0',
    'reconcile_seconds_bucket{le="0.05"} 1',
    'reconcile_seconds_bucket{le="0.1"} 1',
  ])
})

t.test('a look of some seconds is told from one of ten', async (t) => {
  const registry = new Registry()
  workMetrics(registry).onReconciled(2)
  const counts = await samples(registry, 'reconcile_seconds')
  t.ok(counts.includes('reconcile_seconds_bucket{le="1"} 0'))
  t.ok(counts.includes('reconcile_seconds_bucket{le="2.5"} 1'))
})

t.test('the state is the one at the time of asking', async (t) => {
  const registry = new Registry()
  const pods: Pod[] = [pod('stamped', 'a')]
  const state = {
    caches: {
      pods: { values: () => pods.values() },
      zoneOfNode: new Map(),
      proxyPods: { values: () => [].values() } as unknown as State['caches']['proxyPods'],
    },
    effects: { services: 0, unreadProxies: 0 },
    election: { isLeader: false },
  }
  stateMetrics(registry, state)
  t.strictSame(await samples(registry, 'unstamped_pods'), ['unstamped_pods 0'])
  t.strictSame(await samples(registry, 'is_leader'), ['is_leader 0'])
  const unstamped = { zone: undefined, zoneKey: undefined }
  pods.push(
    pod('missed', 'a', unstamped),
    pod('pending', 'a', { ...unstamped, nodeName: undefined }),
    pod('ended', 'a', { ...unstamped, ended: true }),
  )
  Object.assign(state.effects, { services: 2, unreadProxies: 1 })
  state.election.isLeader = true
  t.strictSame(await samples(registry, 'unstamped_pods'), ['unstamped_pods 1'], 'the missed one alone')
  t.strictSame(await samples(registry, 'services_without_effect'), ['services_without_effect 2'])
  t.strictSame(await samples(registry, 'unread_proxies'), ['unread_proxies 1'])
  t.strictSame(await samples(registry, 'is_leader'), ['is_leader 1'])
  t.strictSame(await samples(registry, 'proxies'), [])
})
