// The annotator program: wiring and signals, no logic.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { findAccess } from '../lib/access.ts'
import { begin } from '../lib/begin.ts'
import { registerInformerMetrics } from '../lib/informer-metrics.ts'
import { connect } from '../lib/kube.ts'
import { buildLog } from '../lib/log.ts'
import { buildProbes } from '../lib/probes.ts'
import { readSettings } from '../lib/settings.ts'
import { Controller } from './controller.ts'
import { dialects } from './dialects/all.ts'
import { dryRun } from './dry-run.ts'
import { leaderKube } from './leader-kube.ts'
import { Election } from './lease.ts'
import { leaseName, leaseStore } from './lease-store.ts'
import { proxyStates } from './proxy-teller.ts'
import { settings } from './settings.ts'

const values = await begin(() => readSettings(settings, process.env))
const log = buildLog(values.logLevel)
const registry = new Registry()
collectDefaultMetrics({ register: registry })

const kube = connect(await begin(() => findAccess(values.kubeconfig, process.env)))

const failures = new Counter({
  name: 'zonefirst_annotator_failures_total',
  help: 'Looks at a Service, a pod or the list of zones that failed and are tried again.',
  registers: [registry],
})
const backfilled = new Counter({
  name: 'zonefirst_annotator_backfilled_pods_total',
  help: 'Pods that were bound without a stamp, or with a wrong one, and got it from here: the webhook missed them.',
  registers: [registry],
})
const reconciled = new Histogram({
  name: 'zonefirst_annotator_reconcile_seconds',
  help: 'Looks at a Service, and how long each took with its writes.',
  buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
})
const outcomes = new Map<string, string>()
new Gauge({
  name: 'zonefirst_annotator_services',
  help: 'Services by how they are treated: Routed, or the reason why they are left alone.',
  labelNames: ['outcome'],
  registers: [registry],
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
  registers: [registry],
  collect() {
    this.reset()
    for (const reasons of advice.values()) for (const reason of reasons) this.inc({ reason })
  },
})
const openZones = new Map<string, number>()
new Gauge({
  name: 'zonefirst_annotator_open_zones',
  help: 'Zones whose traffic to a Service spreads over all zones, since no pod can be lent to them, added up over Services.',
  registers: [registry],
  collect() {
    this.set(openZones.values().reduce((sum, count) => sum + count, 0))
  },
})

new Gauge({
  name: 'zonefirst_annotator_unstamped_pods',
  help: 'Opted-in pods that run on a node and have no stamp yet.',
  registers: [registry],
  collect() {
    const pods = [...caches.pods.values()]
    this.set(pods.filter((pod) => pod.nodeName && !pod.ended && pod.zoneKey === undefined).length)
  },
})

new Gauge({
  name: 'zonefirst_annotator_proxies',
  help: 'Ingress controller pods by state: Prepared, or the reason why they route as without zonefirst.',
  labelNames: ['state'],
  registers: [registry],
  collect() {
    this.reset()
    for (const [state, count] of proxyStates(caches)) this.set({ state }, count)
  },
})

new Gauge({
  name: 'zonefirst_annotator_services_without_effect',
  help: 'Annotated Services that a prepared proxy routes as without zonefirst, as its statistics show.',
  registers: [registry],
  collect() {
    this.set(controller.effects.services)
  },
})
new Gauge({
  name: 'zonefirst_annotator_unread_proxies',
  help: 'Proxies whose statistics could not be read at the last look.',
  registers: [registry],
  collect() {
    this.set(controller.effects.unreadProxies)
  },
})

const election = new Election({
  store: leaseStore(kube, values.namespace, leaseName),
  identity: values.identity || `${hostname()}_${randomUUID()}`,
  timing: {
    leaseDuration: values.leaseDuration,
    renewDeadline: values.leaseRenewDeadline,
    retryPeriod: values.leaseRetryPeriod,
  },
  onGain() {
    log.info('leading')
    controller.startWork()
  },
  // What this process remembers (since when, what it told, how often it failed) belongs to a time in which it led: a new
  // one begins without.
  onLoss(reason) {
    log.error({ reason }, 'leads no more: this process ends, a new one stands again')
    void stop().then(() => process.exit(1))
  },
  onError: (error) => log.warn({ err: error }, 'lease: trying again'),
})
new Gauge({
  name: 'zonefirst_annotator_is_leader',
  help: '1 for the one replica that writes, 0 for those that wait.',
  registers: [registry],
  collect() {
    this.set(election.isLeader ? 1 : 0)
  },
})

const dry = values.dryRun ? dryRun(kube, (write) => log.info({ write }, 'would write')) : undefined
const controller = new Controller({
  reading: kube,
  writing: dry?.kube ?? leaderKube(kube, election),
  ...(dry && { asWritten: dry.asWritten }),
  dialect: dialects[values.dialect],
  dialects: Object.values(dialects),
  classRule: {
    controller: values.ingressController || dialects[values.dialect].controller,
    names: values.ingressClassNames,
    withoutClass: values.ingressWithoutClass,
  },
  graceTime: values.graceTime,
  releaseTime: values.releaseTime,
  bound: values.loadBound,
  zoneShares: values.zoneShares,
  answerSize: values.answerSize,
  statsPort: values.statsPort,
  effectInterval: values.effectInterval,
  proxyNamespaces: values.proxyNamespaces,
  workers: values.workers,
  namespace: values.namespace,
  onBackfill: () => backfilled.inc(),
  onReconciled: (seconds) => reconciled.observe(seconds),
  onOutcome: (key, outcome, open = 0) => {
    if (outcome === undefined) outcomes.delete(key)
    else outcomes.set(key, outcome)
    if (open > 0) openZones.set(key, open)
    else openZones.delete(key)
  },
  onAdvice(key, reasons) {
    if (reasons.length === 0) advice.delete(key)
    else advice.set(key, reasons)
  },
  onEvent(event) {
    // what a dry run doesn't write looks like something that was taken away
    if (values.dryRun && event.reason === 'AnnotationRemoved') return
    log.info(event, values.dryRun ? 'would tell' : 'event')
  },
  onEventFailure: (event, error) => log.warn({ err: error, event }, 'event not posted'),
  onInformerFailure: (error) => log.warn({ err: error }, 'informer: trying again'),
  onFailure(key, error) {
    failures.inc()
    log.warn({ err: error, key }, 'failed: trying again')
  },
})
const { caches } = controller

const probes = buildProbes({
  registry,
  checks: Object.entries(caches.all).map(([name, informer]) => ({ name, isReady: () => informer.hasSynced })),
})
registerInformerMetrics(registry, caches.all)

async function stop(): Promise<void> {
  await controller.stopWork()
  // not before: whoever leads next begins at once
  await election.stop()
  caches.stop()
  await probes.close()
  kube.close()
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'stopping')
    void stop()
  })
}

await begin(() => probes.listen({ host: values.listenAddress, port: values.probesPort }))
await caches.start()
if (values.dryRun) controller.startWork()
else election.start()
log.info({ dialect: values.dialect, zones: caches.zones }, 'watching')
