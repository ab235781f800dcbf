import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import type { V1MutatingWebhookConfiguration, V1Secret } from '@kubernetes/client-node'
import t, { type Test } from 'tap'
import { isServingDue } from '../../certs/plan.ts'
import { ensureCertificates, type SelfManagedOptions } from '../../certs/self-managed.ts'
import { ApiError, type ApiRequest, type Kube } from '../../lib/kube.ts'

const day = 24 * 3_600_000
const policy = {
  dnsNames: ['zonefirst-webhook.zonefirst-system.svc'],
  authorityLifetime: 300 * day,
  servingLifetime: 90 * day,
  overlap: day,
}
const configurationPath = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/zonefirst'
const secretsPath = '/api/v1/namespaces/zonefirst-system/secrets'

/** Secrets and one configuration as an API server keeps them: conflicts by name, resourceVersion and owner. */
class Store {
  secrets = new Map<string, V1Secret>()
  webhooks: { name: string; clientConfig: { caBundle?: string } }[] | undefined = [
    { name: 'bindings.zonefirst.io', clientConfig: {} },
    { name: 'pods.zonefirst.io', clientConfig: {} },
  ]
  bundleOwner: string | undefined
  writes: string[] = []
  #version = 0

  readonly kube: Kube = {
    request: async <T>(request: ApiRequest) => {
      // each request in a turn of its own, so that replicas interleave
      await new Promise(setImmediate)
      return structuredClone(this.#answer(request)) as T
    },
    stream: () => Promise.reject(new Error('not a watch')),
    close: () => {},
  }

  #answer(request: ApiRequest): unknown {
    const { method, path } = request
    const refuse = (status: number, causes: object[] = []) => {
      throw new ApiError(request, status, JSON.stringify({ message: 'refused', details: { causes } }))
    }
    if (method !== 'GET') this.writes.push(`${method} ${path.split('/').at(-1)}`)
    if (path === configurationPath) {
      if (!this.webhooks) return refuse(404)
      if (method === 'PATCH') {
        if (this.bundleOwner) refuse(409, [{ reason: 'FieldManagerConflict' }])
        const body = request.body as V1MutatingWebhookConfiguration
        t.strictSame(
          Object.keys(body.webhooks?.[0] ?? {}),
          ['name', 'clientConfig'],
          'nothing else is applied',
        )
        assert.equal(body.metadata?.uid, 'uid-1')
        for (const [at, { clientConfig }] of (body.webhooks ?? []).entries()) {
          Object.assign(this.webhooks[at]?.clientConfig ?? {}, clientConfig)
        }
      }
      return { metadata: { name: 'zonefirst', uid: 'uid-1' }, webhooks: this.webhooks }
    }
    const body = request.body as V1Secret
    const name = method === 'POST' ? body.metadata?.name : path.slice(secretsPath.length + 1)
    const before = this.secrets.get(name ?? '')
    if (method === 'GET') return before ?? refuse(404)
    if (method === 'POST' && before) refuse(409)
    if (method === 'PUT' && before?.metadata?.resourceVersion !== body.metadata?.resourceVersion) refuse(409)
    this.#version += 1
    const after = { ...body, metadata: { ...body.metadata, resourceVersion: String(this.#version) } }
    this.secrets.set(name ?? '', structuredClone(after))
    return after
  }

  text(secret: string, key: string): string {
    return Buffer.from(this.secrets.get(secret)?.data?.[key] ?? '', 'base64').toString()
  }

  /** The certificates in the caBundle of each webhook, which have to be the same. */
  bundle(t: Test): string[] {
    const bundles = (this.webhooks ?? []).map(({ clientConfig }) => clientConfig.caBundle ?? '')
    t.equal(new Set(bundles).size, 1, 'one bundle for all webhooks')
    const text = Buffer.from(bundles[0] ?? '', 'base64').toString()
    return text.match(/-----BEGIN.*?-----END CERTIFICATE-----\n/gs) ?? []
  }
}

const start = Date.now()
function options(store: Store, days = 0): SelfManagedOptions {
  return {
    kube: store.kube,
    namespace: 'zonefirst-system',
    authoritySecret: 'ca',
    servingSecret: 'tls',
    configuration: 'zonefirst',
    policy,
    now: () => start + days * day,
    onWrite: () => {},
  }
}

t.test('from nothing, and again', async (t) => {
  const store = new Store()
  const serving = await ensureCertificates(options(store))
  t.equal(store.text('tls', 'tls.crt'), serving.cert)
  t.equal(store.text('tls', 'ca.crt'), store.text('ca', 'tls.crt'))
  t.equal(store.secrets.get('tls')?.type, 'kubernetes.io/tls')
  t.strictSame(store.bundle(t), [store.text('ca', 'tls.crt')])
  t.notOk(isServingDue(serving, { authority: store.text('ca', 'tls.crt'), policy, now: start }))

  store.writes.length = 0
  t.strictSame(await ensureCertificates(options(store)), serving)
  t.strictSame(store.writes, [], 'nothing is left to write')
})

t.test('replicas that start at once agree on one CA', async (t) => {
  const store = new Store()
  const served = await Promise.all([1, 2, 3].map(() => ensureCertificates(options(store))))
  const ca = store.text('ca', 'tls.crt')
  t.strictSame(store.bundle(t), [ca])
  t.strictSame(new Set(served.map(({ cert }) => cert)), new Set([store.text('tls', 'tls.crt')]))
  t.ok(new X509Certificate(served[0]?.cert ?? '').verify(new X509Certificate(ca).publicKey))
})

t.test('a CA is renewed so that each certificate in use is trusted at each time', async (t) => {
  const store = new Store()
  await ensureCertificates(options(store))
  const first = store.text('ca', 'tls.crt')
  // what the webhook serves: the Secret of one pass before, since the kubelet delivers it late
  let delivered = store.text('tls', 'tls.crt')
  const seen: string[] = []
  for (let days = 1; days <= 320; days += 1) {
    const before = store.text('tls', 'tls.crt')
    await ensureCertificates(options(store, days))
    const bundle = store.bundle(t)
    for (const cert of [delivered, before, store.text('tls', 'tls.crt')]) {
      const certificate = new X509Certificate(cert)
      if (!bundle.some((ca) => certificate.verify(new X509Certificate(ca).publicKey))) {
        t.fail(`day ${days}: a certificate in use is not trusted`)
      }
      if (certificate.validToDate.getTime() <= start + days * day) t.fail(`day ${days}: one in use has ended`)
    }
    delivered = before
    const state = bundle.map((ca) => (ca === first ? 'first' : 'second')).join()
    if (seen.at(-1) !== state) seen.push(state)
  }
  t.strictSame(seen, ['first', 'first,second', 'second,first', 'second'])
})

t.test('what is lost comes back', async (t) => {
  const store = new Store()
  await ensureCertificates(options(store))
  const [ca, cert] = [store.text('ca', 'tls.crt'), store.text('tls', 'tls.crt')]

  store.secrets.delete('tls')
  await ensureCertificates(options(store))
  t.not(store.text('tls', 'tls.crt'), cert)
  t.strictSame(store.bundle(t), [ca], 'of the same CA')

  for (const { clientConfig } of store.webhooks ?? []) delete clientConfig.caBundle
  await ensureCertificates(options(store))
  t.strictSame(store.bundle(t), [ca], 'a wiped bundle')

  store.secrets.delete('ca')
  await ensureCertificates(options(store))
  const newCa = store.text('ca', 'tls.crt')
  t.not(newCa, ca)
  t.strictSame(
    store.bundle(t),
    [newCa, ca],
    'the lost CA stays trusted, as its certificates are still in use',
  )
})

t.test('without a configuration the certificate is made all the same, and the fault told', async (t) => {
  const store = new Store()
  store.webhooks = undefined
  await t.rejects(ensureCertificates(options(store)), {
    message: 'MutatingWebhookConfiguration zonefirst does not exist: apply the manifests.',
  })
  t.not(store.text('tls', 'tls.crt'), '')
})

t.test('a bundle that somebody else writes is not fought over', async (t) => {
  const store = new Store()
  store.bundleOwner = 'cert-manager-cainjector'
  await t.rejects(ensureCertificates(options(store)), { message: /is written by somebody else: use either/ })
  t.notOk(store.secrets.has('tls'), 'and nothing is signed that nobody would trust')
})
