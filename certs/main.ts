// The program for self-managed certificates: wiring and signals, no logic.
import { X509Certificate } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Counter, Gauge, Registry } from 'prom-client'
import { findAccess } from '../lib/access.ts'
import { begin } from '../lib/begin.ts'
import { Informer } from '../lib/informer.ts'
import { connect } from '../lib/kube.ts'
import { buildLog } from '../lib/log.ts'
import { buildProbes } from '../lib/probes.ts'
import { readSettings } from '../lib/settings.ts'
import { ensureCertificates } from './self-managed.ts'
import { settings } from './settings.ts'

const values = await begin(() => {
  const read = readSettings(settings, process.env)
  if (read.authorityLifetime < 3 * read.servingLifetime) {
    throw new Error(
      'ZONEFIRST_CERTS_AUTHORITY_LIFETIME must be at least three times ZONEFIRST_CERTS_SERVING_LIFETIME.',
    )
  }
  if (read.authorityLifetime <= 3 * read.overlap) {
    throw new Error(
      'ZONEFIRST_CERTS_OVERLAP must be shorter than a third of ZONEFIRST_CERTS_AUTHORITY_LIFETIME.',
    )
  }
  return read
})
const log = buildLog(values.logLevel)
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

const kube = connect(await begin(() => findAccess(values.kubeconfig, process.env)))
const host = `${values.service}.${values.namespace}.svc`
const [authoritySecret, servingSecret] = [`${values.service}-ca`, `${values.service}-tls`]
const stopped = new AbortController()
let isEnsured = false
let changed = Promise.withResolvers<void>()

async function pass(): Promise<void> {
  try {
    const { cert } = await ensureCertificates({
      kube,
      namespace: values.namespace,
      authoritySecret,
      servingSecret,
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

/** Hears of every change to what is kept, by whomever. */
function watch(): Informer<undefined>[] {
  const secrets = `/api/v1/namespaces/${values.namespace}/secrets`
  const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
  return [
    { path: secrets, name: authoritySecret },
    { path: secrets, name: servingSecret },
    { path: configurations, name: values.configuration },
  ].map(
    ({ path, name }) =>
      new Informer({
        kube,
        path,
        query: { fieldSelector: `metadata.name=${name}` },
        metadataOnly: true,
        project: () => undefined,
        onChange: () => changed.resolve(),
        onError: (error) => log.warn({ err: error }, 'watch: trying again'),
      }),
  )
}

const probes = buildProbes({ registry, checks: [{ name: 'certificates', isReady: () => isEnsured }] })
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopped.abort())
const { signal } = stopped
const pause = (milliseconds: number) => wait(milliseconds, undefined, { signal }).catch(() => {})
const informers = values.once ? [] : watch()
if (!values.once) {
  await begin(() => probes.listen({ host: values.listenAddress, port: values.probesPort }))
}
for (const informer of informers) informer.start()
while (!signal.aborted) {
  changed = Promise.withResolvers()
  await pass()
  if (values.once && isEnsured) break
  // never at once: somebody may be writing the same again and again
  await pause(1_000)
  await Promise.race([changed.promise, pause(isEnsured ? values.interval : Math.min(values.interval, 5_000))])
}
for (const informer of informers) informer.stop()
await probes.close()
kube.close()
