// The webhook program: wiring and signals, no logic.
import { setTimeout as wait } from 'node:timers/promises'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { findAccess } from '../lib/access.ts'
import { begin } from '../lib/begin.ts'
import { registerInformerMetrics } from '../lib/informer-metrics.ts'
import { connect } from '../lib/kube.ts'
import { buildLog } from '../lib/log.ts'
import { buildProbes } from '../lib/probes.ts'
import { readSettings } from '../lib/settings.ts'
import { buildAdmit } from './admit.ts'
import { ServingCertificate } from './certificate.ts'
import { buildInformers, buildLookup } from './lookup.ts'
import { buildReport } from './report.ts'
import { buildServer } from './server.ts'
import { settings } from './settings.ts'

const values = await begin(() => readSettings(settings, process.env))
const log = buildLog(values.logLevel)
const registry = new Registry()
collectDefaultMetrics({ register: registry })

const kube = connect(await begin(() => findAccess(values.kubeconfig, process.env)))
const informers = buildInformers(kube, (error) => log.warn({ err: error }, 'informer: trying again'))
registerInformerMetrics(registry, { ...informers })

let draining = false
const hurry = new AbortController()
const server = buildServer({
  admit: buildAdmit({
    lookup: buildLookup(kube, informers, values.maxLookups),
    timeoutMs: values.lookupTimeout,
  }),
  report: buildReport(registry, log),
  bodyLimit: values.bodyLimit,
  isDraining: () => draining,
  verifyClients: values.clientCAFile !== '',
})

const certificate = new ServingCertificate({
  folder: values.tlsFolder,
  clientCAFile: values.clientCAFile,
  use: ({ cert, key, clientCA }) =>
    server.server.setSecureContext({
      cert,
      key,
      minVersion: 'TLSv1.2',
      ...(clientCA && { ca: clientCA }),
    }),
  onLoaded: ({ validTo }) => log.info({ validTo }, 'certificate loaded'),
  onError: (error) =>
    log.error({ err: error }, 'certificate not loaded: what was loaded before stays in use'),
})
new Gauge({
  name: 'zonefirst_webhook_certificate_expiry_timestamp_seconds',
  help: 'When the serving certificate in use expires; 0 while there is none.',
  registers: [registry],
  collect() {
    this.set((certificate.current?.validToDate.getTime() ?? 0) / 1000)
  },
})

const probes = buildProbes({
  registry,
  checks: [
    { name: 'pods', isReady: () => informers.pods.hasSynced },
    { name: 'nodes', isReady: () => informers.nodes.hasSynced },
    { name: 'certificate', isReady: () => certificate.current !== undefined },
    { name: 'not-draining', isReady: () => !draining },
  ],
})

/** A second signal ends the delay, not what is in flight. */
async function stop(signal: string): Promise<void> {
  if (draining) return hurry.abort()
  draining = true
  log.info({ signal, delay: values.drainDelay }, 'draining')
  await wait(values.drainDelay, undefined, { signal: hurry.signal }).catch(() => {})
  await server.close()
  certificate.stop()
  informers.pods.stop()
  informers.nodes.stop()
  await probes.close()
  kube.close()
  log.info('stopped')
}
process.on('SIGTERM', (signal) => void stop(signal))
process.on('SIGINT', (signal) => void stop(signal))

informers.pods.start()
informers.nodes.start()
await certificate.start()
const { listenAddress: host, probesPort, port } = values
const listening = await begin(async () => ({
  probes: await probes.listen({ host, port: probesPort }),
  reviews: await server.listen({ host, port }),
}))
log.info(listening, 'listening')
