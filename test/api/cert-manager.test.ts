// Certificates of a real cert-manager on a real API server: what it does to them, and what the webhook makes of that.
import '../cluster/enter-with-cert-manager.ts'
import { X509Certificate } from 'node:crypto'
import t, { type Test } from 'tap'
import { mergePatch } from '../../lib/kube.ts'
import { makeCertificates } from '../fixtures/tls.ts'
import {
  bundlesOf,
  changeCertificate,
  readSecret,
  servedCertificates,
  startCertManagerCluster,
  textOf,
  watchSecret,
} from '../scenario/certificates.ts'
import { startReviews } from '../scenario/steady-reviews.ts'
import { bind, createPod, podOf, stampOf, webhookPods } from '../scenario/webhook-cluster.ts'

const { cluster, certManager } = await startCertManagerCluster()
t.teardown(() => cluster.stop())
const [ca, serving] = ['zonefirst-webhook-ca', 'zonefirst-webhook-tls']
const system = (...args: string[]) => cluster.kubectl('-n', 'zonefirst-system', ...args)
const namesOfReplicas = async () => (await webhookPods(cluster)).map(({ metadata }) => metadata?.name).sort()
const replicas = await namesOfReplicas()

/** All replicas show it to new connections. */
const untilServed = (cert: () => string | undefined) =>
  cluster.until('every replica serves the certificate', async () => {
    const wanted = cert()?.trim() ?? ''
    return (await servedCertificates(cluster)).every((served) => wanted.startsWith(served.trim()))
  })

async function assertUnharmed(t: Test): Promise<void> {
  t.strictSame(await namesOfReplicas(), replicas, 'the same pods')
  const restarts = (await webhookPods(cluster)).map(
    ({ status }) => status?.containerStatuses?.[0]?.restartCount,
  )
  t.strictSame(restarts, [0, 0])
}

t.test('from the manifests to a stamped pod', async (t) => {
  const authority = textOf(await readSecret(cluster, ca), 'tls.crt')
  t.strictSame(await bundlesOf(cluster), [authority, authority])
  const certificate = new X509Certificate(textOf(await readSecret(cluster, serving), 'tls.crt'))
  t.ok(certificate.verify(new X509Certificate(authority).publicKey))
  const pod = await createPod(cluster, podOf({ name: 'first' }))
  t.equal(stampOf(await bind(cluster, pod)).zone, 'a')
})

t.test('the configuration applied again, and again by server-side apply: the bundle stays', async (t) => {
  const before = await bundlesOf(cluster)
  await cluster.kubectl('apply', '-k', 'manifests')
  t.strictSame(await bundlesOf(cluster), before)
  await cluster.kubectl('apply', '--server-side', '--force-conflicts', '-k', 'manifests')
  t.strictSame(await bundlesOf(cluster), before)
  await system('scale', 'deployment/zonefirst-annotator', '--replicas=0')
})

t.test('the expiry of what is in use is a metric', async (t) => {
  const certificate = new X509Certificate(textOf(await readSecret(cluster, serving), 'tls.crt'))
  for (const { status } of await webhookPods(cluster)) {
    const text = await (await fetch(`http://${status?.podIP}:8080/metrics`)).text()
    const [, seconds] = /^zonefirst_webhook_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text) ?? []
    t.equal(Number(seconds) * 1000, certificate.validToDate.getTime())
  }
})

t.test('its Secret deleted: a new certificate is in use without a restart or a failed review', async (t) => {
  const reviews = await startReviews(cluster)
  t.teardown(() => reviews.stop())
  const secret = await watchSecret(cluster, serving)
  t.teardown(() => secret.stop())
  await system('delete', 'secret', serving)
  await cluster.until('it is made again', () => secret.certs.length === 2)
  await untilServed(() => secret.certs.at(-1))
  t.strictSame((await reviews.stop()).failures, [])
  await assertUnharmed(t)
})

t.test('a pair that does not match: the old one stays in use, and the webhook says so', async (t) => {
  const before = textOf(await readSecret(cluster, serving), 'tls.crt')
  const reviews = await startReviews(cluster)
  t.teardown(() => reviews.stop())
  // it would mend the Secret before anybody could see it
  certManager.controller.pause()
  const stranger = Buffer.from((await makeCertificates()).serving.cert).toString('base64')
  const path = `/api/v1/namespaces/zonefirst-system/secrets/${serving}`
  const body = { data: { 'tls.crt': stranger } }
  await cluster.kube.request({ method: 'PATCH', path, contentType: mergePatch, body })
  for (const pod of await webhookPods(cluster)) {
    const log = await cluster.until('it complains', async () => {
      const text = await cluster.kubelet.logs(pod)
      return text.includes('tls.key is not the key of tls.crt') && text
    })
    t.match(log, 'what was loaded before stays in use')
  }
  await untilServed(() => before)
  certManager.controller.resume()
  await cluster.until('cert-manager has mended it', async () => {
    const secret = await readSecret(cluster, serving)
    return !['', stranger].includes(secret.data?.['tls.crt'] ?? '') && secret
  })
  const mended = textOf(await readSecret(cluster, serving), 'tls.crt')
  await untilServed(() => mended)
  t.strictSame((await reviews.stop()).failures, [])
  await assertUnharmed(t)
})

t.test('renewal under load: no failed review', async (t) => {
  const secret = await watchSecret(cluster, serving)
  t.teardown(() => secret.stop())
  const reviews = await startReviews(cluster)
  t.teardown(() => reviews.stop())
  await changeCertificate(cluster, serving, { duration: '1h', renewBefore: '59m55s' })
  await cluster.until('it was renewed three times', () => secret.certs.length > 4)
  await untilServed(() => secret.certs.at(-1))
  const { asked, direct, failures } = await reviews.stop()
  t.strictSame(failures, [])
  t.comment(
    `${secret.certs.length - 1} certificates, ${asked} reviews by the API server, ${direct} direct ones`,
  )
  await assertUnharmed(t)
})

t.test('a new CA under load, files that come late', async (t) => {
  cluster.kubelet.secretDelayMs = 2_000
  // an injector adds the new CA to the bundle since cert-manager 1.19; before, it put it in the old one's place
  const rows = [
    { key: 'Never', merging: true, fails: false },
    { key: 'Never', merging: false, fails: false },
    { key: 'Always', merging: true, fails: false },
    { key: 'lost', merging: true, fails: false },
    // what the kept key is for
    { key: 'Always', merging: false, fails: true },
  ]
  for (const [at, { key, merging, fails }] of rows.entries()) {
    const name = `key ${key}, injector that ${merging ? 'merges' : 'replaces'}`
    await certManager.replaceInjector(`CAInjectorMerging=${merging}`)
    const [authority, secret] = [await watchSecret(cluster, ca), await watchSecret(cluster, serving)]
    const reviews = await startReviews(cluster)
    t.teardown(() => Promise.all([authority.stop(), secret.stop(), reviews.stop()]))
    if (key === 'lost') await system('delete', 'secret', ca)
    else {
      const duration = `${87_601 + at}h`
      await changeCertificate(cluster, ca, { duration, privateKey: { rotationPolicy: key } })
    }
    await cluster.until(`${name}: there is a new CA`, () => authority.certs.length === 2)
    await changeCertificate(cluster, serving, { duration: `${2161 + at}h` })
    const fresh = authority.certs[1] ?? ''
    await cluster.until(`${name}: it is in the caBundle`, async () =>
      (await bundlesOf(cluster)).every((bundle) => bundle.includes(fresh)),
    )
    await untilServed(() => secret.certs.at(-1))
    const { asked, direct, failures } = await reviews.stop()
    if (fails) {
      t.match(failures.join('\n'), /direct to .* certificate/, name)
      t.match(failures.join('\n'), /failing open.*certificate/, `${name}: the API server, too`)
    } else {
      t.strictSame(failures, [], name)
    }
    t.comment(`${asked} reviews by the API server, ${direct} direct ones, ${failures.length} failures`)
    const { publicKey } = new X509Certificate(fresh)
    const served = (await servedCertificates(cluster)).map((cert) => new X509Certificate(cert))
    t.ok(
      served.every((cert) => cert.verify(publicKey)),
      `${name}: in the end all is of the new CA`,
    )
  }
  await assertUnharmed(t)
})
