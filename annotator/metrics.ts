// The annotator's metrics: of the work that it is told of, and of the state that it finds when it is asked.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Caches } from './cluster/caches.ts'
import type { ControllerOptions } from './controller.ts'
import type { EffectWatch } from './events/effect-watch.ts'
import { proxyStates } from './events/proxy-teller.ts'

type Hears = Required<Pick<ControllerOptions, 'onBackfill' | 'onReconciled' | 'onOutcome' | 'onAdvice'>>

/** What counts, as the controller tells it. */
export function workMetrics(registry: Registry): Hears & { onFailure: () => void } {
  const registers = [registry]
  const failures = new Counter({
    name: 'zonefirst_annotator_failures_total',
    help: 'Looks at a Service, a pod or the list of zones that failed and are tried again.',
    registers,
  })
  const backfilled = new Counter({
    name: 'zonefirst_annotator_backfilled_pods_total',
    help: 'Pods that were bound without a stamp, or with a wrong one, and got it from here: the webhook missed them.',
    registers,
  })
  const reconciled = new Histogram({
    name: 'zonefirst_annotator_reconcile_seconds',
    help: 'Looks at a Service, and how long each took with its writes.',
    buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const outcomes = new Map<string, string>()
  new Gauge({
    name: 'zonefirst_annotator_services',
    help: 'Services by how they are treated: Routed, or the reason why they are left alone.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const outcome of outcomes.values()) this.inc({ outcome })
    },
  })
  const advice = new Map<string, readonly string[]>()
  new Gauge({
    name: 'zonefirst_annotator_advised_services',
    help: 'Services that are routed by zone but may serve worse than meant, by what an Event on them says.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const reasons of advice.values()) for (const reason of reasons) this.inc({ reason })
    },
  })
  const openZones = new Map<string, number>()
  new Gauge({
    name: 'zonefirst_annotator_open_zones',
    help: 'Zones whose traffic to a Service spreads over all zones, since no pod can be lent to them, added up over Services.',
    registers,
    collect() {
      this.set(openZones.values().reduce((sum, count) => sum + count, 0))
    },
  })
  return {
    onFailure: () => failures.inc(),
    onBackfill: () => backfilled.inc(),
    onReconciled: (seconds) => reconciled.observe(seconds),
    onOutcome(key, outcome, open = 0) {
      if (outcome === undefined) outcomes.delete(key)
      else outcomes.set(key, outcome)
      if (open > 0) openZones.set(key, open)
      else openZones.delete(key)
    },
    onAdvice(key, reasons) {
      if (reasons.length === 0) advice.delete(key)
      else advice.set(key, reasons)
    },
  }
}

export interface State {
  caches: Pick<Caches, 'zoneOfNode' | 'proxyPods'> & { pods: Pick<Caches['pods'], 'values'> }
  effects: Pick<EffectWatch, 'services' | 'unreadProxies'>
  election: { readonly isLeader: boolean }
}

export function stateMetrics(registry: Registry, { caches, effects, election }: State): void {
  const registers = [registry]
  new Gauge({
    name: 'zonefirst_annotator_unstamped_pods',
    help: 'Opted-in pods that run on a node and have no stamp yet.',
    registers,
    collect() {
      const pods = [...caches.pods.values()]
      this.set(pods.filter((pod) => pod.nodeName && !pod.ended && pod.zoneKey === undefined).length)
    },
  })
  new Gauge({
    name: 'zonefirst_annotator_proxies',
    help: 'Ingress controller pods by state: Prepared, or the reason why they route as without zonefirst.',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset()
      for (const [state, count] of proxyStates(caches)) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'zonefirst_annotator_services_without_effect',
    help: 'Annotated Services that a prepared proxy routes as without zonefirst, as its statistics show.',
    registers,
    collect() {
      this.set(effects.services)
    },
  })
  new Gauge({
    name: 'zonefirst_annotator_unread_proxies',
    help: 'Proxies whose statistics could not be read at the last look.',
    registers,
    collect() {
      this.set(effects.unreadProxies)
    },
  })
  new Gauge({
    name: 'zonefirst_annotator_is_leader',
    help: '1 for the one replica that writes, 0 for those that wait.',
    registers,
    collect() {
      this.set(election.isLeader ? 1 : 0)
    },
  })
}
