// Self-managed certificates as they are installed, under load: renewals, a CA's renewal, and what is lost.
import '../cluster/enter.ts'
import { X509Certificate } from 'node:crypto'
import t, { type Test } from 'tap'
import { bundlesOf, type SecretHistory, servedCertificates, watchSecret } from '../scenario/certificates.ts'
import { type SteadyReviews, startReviews } from '../scenario/steady-reviews.ts'
import { startWebhookCluster, webhookPods } from '../scenario/webhook-cluster.ts'

const cluster = await startWebhookCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
const [ca, serving] = ['zonefirst-webhook-ca', 'zonefirst-webhook-tls']
const system = (...args: string[]) => cluster.kubectl('-n', 'zonefirst-system', ...args)

/** As an administrator shortens them; both replicas of certs run with them afterwards. */
async function useLifetimes(env: Record<string, string>): Promise<void> {
  const pairs = Object.entries(env).map(([name, value]) => `ZONEFIRST_CERTS_${name}=${value}`)
  await system('set', 'env', 'deployment/zonefirst-certs', ...pairs)
  await system('rollout', 'status', 'deployment/zonefirst-certs', '--timeout=90s')
}

async function underLoad(t: Test): Promise<[SteadyReviews, SecretHistory, SecretHistory]> {
  const [authority, secret] = [await watchSecret(cluster, ca), await watchSecret(cluster, serving)]
  const reviews = await startReviews(cluster)
  t.teardown(() => Promise.all([reviews.stop(), authority.stop(), secret.stop()]))
  return [reviews, authority, secret]
}

const untilServed = (secret: SecretHistory) =>
  cluster.until('every replica serves the newest certificate', async () => {
    const newest = secret.certs.at(-1)?.trim()
    return (await servedCertificates(cluster)).every((served) => served.trim() === newest)
  })

async function assertNothingFailed(t: Test, reviews: SteadyReviews): Promise<void> {
  const { asked, direct, failures } = await reviews.stop()
  t.strictSame(failures, [])
  t.ok(asked > 0 && direct > 0)
  t.comment(`${asked} reviews by the API server, ${direct} direct ones`)
  const states = (await webhookPods(cluster)).map(
    ({ status }) => status?.containerStatuses?.[0]?.restartCount,
  )
  t.strictSame(states, [0, 0], 'no restart of the webhook')
}

t.test('the Secret of the serving certificate deleted', async (t) => {
  const [reviews, authority, secret] = await underLoad(t)
  await system('delete', 'secret', serving)
  await cluster.until('it is made again', () => secret.certs.length === 2)
  await untilServed(secret)
  t.equal(authority.certs.length, 1, 'of the same CA')
  await assertNothingFailed(t, reviews)
})

t.test('the Secret of the CA deleted: what it signed stays in use for the overlap', async (t) => {
  await useLifetimes({ OVERLAP: '4s', INTERVAL: '1s' })
  cluster.kubelet.secretDelayMs = 2_000
  const [reviews, authority, secret] = await underLoad(t)
  const before = authority.certs[0] ?? ''
  await system('delete', 'secret', ca)
  await cluster.until('there is a new CA', () => authority.certs.length === 2)
  const fresh = authority.certs[1] ?? ''
  await cluster.until('the bundle has both', async () => {
    return (await bundlesOf(cluster)).every((bundle) => bundle === fresh + before)
  })
  t.equal(secret.certs.length, 1, 'the old certificate is still in use')
  await cluster.until('it is replaced', () => secret.certs.length === 2)
  await untilServed(secret)
  t.ok(isOf(secret.certs[1], fresh))
  await assertNothingFailed(t, reviews)
})

t.test('both deleted at once, files that come late', async (t) => {
  cluster.kubelet.secretDelayMs = 2_000
  const [reviews, authority, secret] = await underLoad(t)
  await system('delete', 'secret', ca, serving)
  await cluster.until('both are made again', () => authority.certs.length === 2 && secret.certs.length === 2)
  await untilServed(secret)
  t.ok((await bundlesOf(cluster)).every((bundle) => bundle.includes(authority.certs[0] ?? '-')))
  await assertNothingFailed(t, reviews)
})

t.test('renewals of certificate and CA, files that come late', async (t) => {
  cluster.kubelet.secretDelayMs = 2_000
  // a certificate every 10 s; a new CA after 30 s, which signs 4 s later
  await useLifetimes({ SERVING_LIFETIME: '15s', AUTHORITY_LIFETIME: '45s', OVERLAP: '4s', INTERVAL: '1s' })
  await system('delete', 'secret', ca, serving)
  const [reviews, authority, secret] = await underLoad(t)
  const bundles: string[] = []
  await cluster.until(
    'a second CA has signed twice',
    async () => {
      const [bundle = ''] = await bundlesOf(cluster)
      if (bundle !== bundles.at(-1)) bundles.push(bundle)
      return authority.certs[1] && secret.certs.slice(-2).every((cert) => isOf(cert, authority.certs[1]))
    },
    { timeoutMs: 90_000 },
  )
  await assertNothingFailed(t, reviews)
  t.comment(`${secret.certs.length} certificates`)
  const [first = '', second = ''] = authority.certs
  const signersFirst = bundles
    .filter((bundle) => bundle.includes(second))
    .map((bundle) => bundle.split(/(?<=END CERTIFICATE-----\n)/).slice(0, 2))
  t.strictSame(signersFirst.slice(0, 2), [
    [first, second],
    [second, first],
  ])
})

function isOf(cert: string | undefined, authority: string | undefined): boolean {
  if (!cert || !authority) return false
  return new X509Certificate(cert).verify(new X509Certificate(authority).publicKey)
}
