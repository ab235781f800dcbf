// The annotator program: wiring and signals, no logic.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { findAccess } from '../lib/access.ts'
import { begin } from '../lib/begin.ts'
import { registerInformerMetrics } from '../lib/informer-metrics.ts'
import { connect } from '../lib/kube.ts'
import { buildLog } from '../lib/log.ts'
import { buildProbes } from '../lib/probes.ts'
import { readSettings } from '../lib/settings.ts'
import { Controller } from './controller.ts'
import { dryRun } from './dry-run.ts'
import { leaderKube } from './leader/leader-kube.ts'
import { Election } from './leader/lease.ts'
import { leaseName, leaseStore } from './leader/lease-store.ts'
import { stateMetrics, workMetrics } from './metrics.ts'
import { classRuleOf } from './objects/routes.ts'
import { dialects } from './plan/dialects/all.ts'
import { settings } from './settings.ts'

const values = await begin(() => readSettings(settings, process.env))
const log = buildLog(values.logLevel)
const registry = new Registry()
collectDefaultMetrics({ register: registry })
const { onFailure, ...hears } = workMetrics(registry)

const kube = connect(await begin(() => findAccess(values.kubeconfig, process.env)))

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

const dialect = dialects[values.dialect]
const dry = values.dryRun ? dryRun(kube, (write) => log.info({ write }, 'would write')) : undefined
const controller = new Controller({
  reading: kube,
  writing: dry?.kube ?? leaderKube(kube, election),
  ...(dry && { asWritten: dry.asWritten }),
  dialect,
  dialects: Object.values(dialects),
  classRule: classRuleOf(values, dialect.controller),
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
  ...hears,
  onEvent(event) {
    // what a dry run doesn't write looks like something that was taken away
    if (values.dryRun && event.reason === 'AnnotationRemoved') return
    log.info(event, values.dryRun ? 'would tell' : 'event')
  },
  onEventFailure: (event, error) => log.warn({ err: error, event }, 'event not posted'),
  onInformerFailure: (error) => log.warn({ err: error }, 'informer: trying again'),
  onFailure(key, error) {
    onFailure()
    log.warn({ err: error, key }, 'failed: trying again')
  },
})
const { caches, effects } = controller
stateMetrics(registry, { caches, effects, election })

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
