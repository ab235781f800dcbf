// The program for self-managed certificates: wiring and signals, no logic.
import { X509Certificate } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { Counter, Gauge, Registry } from 'prom-client'
import { findAccess } from '../lib/access.ts'
import { connect } from '../lib/kube.ts'
import { buildProbes } from '../lib/probes.ts'
import { readSettings } from '../lib/settings.ts'
import { ensureCertificates } from './self-managed.ts'
import { settings } from './settings.ts'

const values = readSettings(settings, process.env)
if (values.authorityLifetime < 3 * values.servingLifetime) {
  throw new Error(
    'ZONEFIRST_CERTS_AUTHORITY_LIFETIME must be at least three times ZONEFIRST_CERTS_SERVING_LIFETIME.',
  )
}
const log = pino({ level: values.logLevel })
const registry = new Registry()
const failures = new Counter({
  name: 'zonefirst_certs_failures_total',
  help: 'Passes that failed and are tried again.',
  registers: [registry],
})
const expiry = new Gauge({
  name: 'zonefirst_certs_serving_expiry_timestamp_seconds',
  help: 'When the serving certificate in the Secret expires.',
  registers: [registry],
})

const kube = connect(await findAccess(values.kubeconfig, process.env))
const host = `${values.service}.${values.namespace}.svc`
const stopped = new AbortController()
let isEnsured = false

async function pass(): Promise<void> {
  try {
    const { cert } = await ensureCertificates({
      kube,
      namespace: values.namespace,
      authoritySecret: `${values.service}-ca`,
      servingSecret: `${values.service}-tls`,
      configuration: values.configuration,
      policy: { ...values, dnsNames: [host, `${host}.cluster.local`] },
      now: Date.now,
      onWrite: (what) => log.info(`written: ${what}`),
    })
    isEnsured = true
    expiry.set(new X509Certificate(cert).validToDate.getTime() / 1000)
  } catch (error) {
    isEnsured = false
    failures.inc()
    log.warn({ err: error }, 'certificates are not as they should be: trying again')
  }
}

const probes = buildProbes({ registry, checks: [{ name: 'certificates', isReady: () => isEnsured }] })
process.once('SIGTERM', () => stopped.abort())
process.once('SIGINT', () => stopped.abort())
if (!values.once) await probes.listen({ host: values.listenAddress, port: values.probesPort })
while (!stopped.signal.aborted) {
  await pass()
  if (values.once && isEnsured) break
  const pause = isEnsured ? values.interval : Math.min(values.interval, 5_000)
  await wait(pause, undefined, { signal: stopped.signal }).catch(() => {})
}
await probes.close()
kube.close()
