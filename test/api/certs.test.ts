// Self-managed certificates on a real API server: who wins when several start at once, and what belongs to whom.
import '../cluster/enter.ts'
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import type { V1MutatingWebhookConfiguration, V1Secret } from '@kubernetes/client-node'
import t from 'tap'
import { ensureCertificates } from '../../certs/self-managed.ts'
import { applyPatch } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { runCommand } from '../cluster/command.ts'
import { partOfZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())
const { kube } = cluster
const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/zonefirst'
const main = join(import.meta.dirname, '../../certs/main.ts')
await cluster.kubectl('apply', ...partOfZonefirst('namespace'))

const ensure = (writes: string[] = [], clock = Date.now) =>
  ensureCertificates({
    kube,
    namespace: 'zonefirst-system',
    authoritySecret: 'zonefirst-webhook-ca',
    servingSecret: 'zonefirst-webhook-tls',
    configuration: 'zonefirst',
    policy: {
      dnsNames: ['zonefirst-webhook.zonefirst-system.svc'],
      authorityLifetime: 40 * 3_600_000,
      servingLifetime: 10 * 3_600_000,
      overlap: 60_000,
    },
    now: clock,
    onWrite: (what) => writes.push(what),
  })
const textOf = async (secret: string, key: string) => {
  const { data } = await kube.request<V1Secret>({
    method: 'GET',
    path: `/api/v1/namespaces/zonefirst-system/secrets/${secret}`,
  })
  return Buffer.from(data?.[key] ?? '', 'base64').toString()
}
const configuration = () => kube.request<V1MutatingWebhookConfiguration>({ method: 'GET', path })
const bundles = async () =>
  ((await configuration()).webhooks ?? []).map(({ clientConfig }) =>
    Buffer.from(clientConfig.caBundle ?? '', 'base64').toString(),
  )

t.test('before the configuration is there: a clear word, and the certificate all the same', async (t) => {
  await t.rejects(ensure(), {
    message: 'MutatingWebhookConfiguration zonefirst does not exist: apply the manifests.',
  })
  t.match(await textOf('zonefirst-webhook-tls', 'tls.crt'), /BEGIN CERTIFICATE/)
  await cluster.kubectl('-n', 'zonefirst-system', 'delete', 'secret', '--all')
  await cluster.kubectl('apply', ...partOfZonefirst('webhook-configuration'))
})

t.test('three that start at once agree, and write that one field of the configuration', async (t) => {
  const before = await configuration()
  await Promise.all([ensure(), ensure(), ensure()])
  const ca = await textOf('zonefirst-webhook-ca', 'tls.crt')
  const serving = new X509Certificate(await textOf('zonefirst-webhook-tls', 'tls.crt'))
  t.ok(serving.verify(new X509Certificate(ca).publicKey))
  t.strictSame(await bundles(), [ca, ca])

  const { webhooks } = await configuration()
  const withoutBundle = webhooks?.map(({ clientConfig: { caBundle: _ours, ...clientConfig }, ...rest }) => ({
    ...rest,
    clientConfig,
  }))
  t.strictSame(withoutBundle, before.webhooks, 'all else is as it was')
  const writes: string[] = []
  await ensure(writes)
  t.strictSame(writes, [], 'and nothing is left to write')
})

t.test(
  'replicas whose clocks differ by minutes agree, too, on what is valid by the right time',
  async (t) => {
    await cluster.kubectl('-n', 'zonefirst-system', 'delete', 'secret', '--all')
    const [slow, fast] = [-4, 4].map((minutes) => () => Date.now() + minutes * 60_000)
    await Promise.all([ensure([], fast), ensure([], slow)])
    const writes: string[] = []
    for (const clock of [slow, fast, slow]) await ensure(writes, clock)
    t.strictSame(writes, [])
    for (const secret of ['zonefirst-webhook-ca', 'zonefirst-webhook-tls']) {
      t.ok(new X509Certificate(await textOf(secret, 'tls.crt')).validFromDate.getTime() <= Date.now(), secret)
    }
  },
)

t.test('what is deleted comes back', async (t) => {
  const [trusted, cert] = [await bundles(), await textOf('zonefirst-webhook-tls', 'tls.crt')]
  await cluster.kubectl('-n', 'zonefirst-system', 'delete', 'secret', 'zonefirst-webhook-tls')
  await ensure()
  t.not(await textOf('zonefirst-webhook-tls', 'tls.crt'), cert)
  t.strictSame(await bundles(), trusted)

  await cluster.kubectl('delete', ...partOfZonefirst('webhook-configuration'))
  await cluster.kubectl('apply', ...partOfZonefirst('webhook-configuration'))
  await ensure()
  t.strictSame(await bundles(), trusted)
})

t.test('the program, once, for the administrator', async (t) => {
  await cluster.kubectl('-n', 'zonefirst-system', 'delete', 'secret', '--all')
  const env = { ZONEFIRST_CERTS_ONCE: 'true', ZONEFIRST_KUBECONFIG: cluster.kubeconfig }
  const output = await runCommand([process.execPath, main], { env })
  t.match(output, '"msg":"written: the serving certificate"')
  const serving = new X509Certificate(await textOf('zonefirst-webhook-tls', 'tls.crt'))
  t.equal(
    serving.subjectAltName,
    'DNS:zonefirst-webhook.zonefirst-system.svc, DNS:zonefirst-webhook.zonefirst-system.svc.cluster.local',
  )
})

t.test('a caBundle that another manager has taken is not fought over', async (t) => {
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'zonefirst' },
    webhooks: [
      { name: 'bindings.zonefirst.io', clientConfig: { caBundle: Buffer.from('theirs').toString('base64') } },
    ],
  }
  const query = { fieldManager: 'cert-manager-cainjector', force: true }
  await kube.request({ method: 'PATCH', path, query, contentType: applyPatch, body })
  await t.rejects(ensure(), { message: /is written by somebody else: use either cert-manager or/ })
  t.equal((await bundles())[0], 'theirs')
})
