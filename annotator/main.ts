// The annotator program: wiring and signals, no logic.
import { pino } from 'pino'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { findAccess } from '../lib/access.ts'
import { registerInformerMetrics } from '../lib/informer-metrics.ts'
import { connect } from '../lib/kube.ts'
import { buildProbes } from '../lib/probes.ts'
import { readSettings } from '../lib/settings.ts'
import { Caches } from './caches.ts'
import { haproxyIngressSnippet } from './dialects/haproxy-ingress-snippet.ts'
import { haproxytechCustomAnnotation } from './dialects/haproxytech-custom-annotation.ts'
import { haproxytechSnippet } from './dialects/haproxytech-snippet.ts'
import { type Event, postEvent } from './events.ts'
import { Reconciler } from './reconcile.ts'
import { settings } from './settings.ts'
import { podWrites } from './stamps.ts'
import { Workqueue } from './workqueue.ts'
import { writePod } from './write-pod.ts'
import { publishZones } from './zones-config-map.ts'

const values = readSettings(settings, process.env)
const log = pino({ level: values.logLevel })
const registry = new Registry()
collectDefaultMetrics({ register: registry })

const kube = connect(await findAccess(values.kubeconfig, process.env))

const dialects = {
  'haproxytech-custom-annotation': haproxytechCustomAnnotation,
  'haproxytech-snippet': haproxytechSnippet,
  'haproxy-ingress-snippet': haproxyIngressSnippet,
}

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
const onBackfill = () => backfilled.inc()
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

new Gauge({
  name: 'zonefirst_annotator_unstamped_pods',
  help: 'Opted-in pods that run on a node and have no stamp yet.',
  registers: [registry],
  collect() {
    const pods = [...caches.pods.values()]
    this.set(pods.filter((pod) => pod.nodeName && !pod.ended && pod.zoneKey === undefined).length)
  },
})

const caches = new Caches({
  kube,
  enqueue: (key) => queue.add(key),
  enqueuePod: (key) => podsQueue.add(key),
  isRouted: (service) => reconciler.isRouted(service),
  configuredShares: values.zoneShares,
  onZones: () => zonesQueue.add('zones'),
  onError: (error) => log.warn({ err: error }, 'informer: trying again'),
})
const tell = (event: Event) => {
  log.info(event, 'event')
  postEvent(kube, event, new Date()).catch((error) => log.warn({ err: error, event }, 'event not posted'))
}
const reconciler = new Reconciler({
  kube,
  caches,
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
  now: Date.now,
  tell,
  onBackfill,
  onOutcome: (key, outcome) => {
    if (outcome === undefined) outcomes.delete(key)
    else outcomes.set(key, outcome)
  },
})
const onError = (key: string, error: Error) => {
  failures.inc()
  log.warn({ err: error, key }, 'failed: trying again')
}
const queue = new Workqueue({ work: (key) => reconciler.reconcile(key), onError, workers: values.workers })
const podsQueue = new Workqueue({
  work: async (key) => {
    const [namespace = '', name = ''] = key.split('/')
    const pod = caches.pods.get(namespace, name)
    const lone = { pods: pod ? [pod] : [], zoneOfNode: caches.zoneOfNode, sharedPods: new Set<string>() }
    for (const write of podWrites(lone, 'home')) await writePod(write, { kube, tell, onBackfill })
    return undefined
  },
  onError,
  workers: 1,
})
const zonesQueue = new Workqueue({
  work: async () => {
    await publishZones(kube, values.namespace, caches.zones)
    return undefined
  },
  onError,
  workers: 1,
})

const probes = buildProbes({
  registry,
  checks: Object.entries(caches.all).map(([name, informer]) => ({ name, isReady: () => informer.hasSynced })),
})
registerInformerMetrics(registry, caches.all)

async function stop(signal: string): Promise<void> {
  log.info({ signal }, 'stopping')
  await Promise.all([queue, podsQueue, zonesQueue].map((each) => each.stop()))
  caches.stop()
  await probes.close()
  kube.close()
}
process.once('SIGTERM', (signal) => void stop(signal))
process.once('SIGINT', (signal) => void stop(signal))

await probes.listen({ host: values.listenAddress, port: values.probesPort })
await caches.start()
for (const each of [queue, podsQueue, zonesQueue]) each.start()
log.info({ dialect: values.dialect, zones: caches.zones }, 'watching')
