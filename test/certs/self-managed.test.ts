import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import type { V1MutatingWebhookConfiguration, V1Secret } from '@kubernetes/client-node'
import t, { type Test } from 'tap'
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

const isSignedBy = (cert: string, ca: string) =>
  new X509Certificate(cert).verify(new X509Certificate(ca).publicKey)

/** As a client decides that trusts the bundle. */
function isAccepted(cert: string, bundle: string[], now: number): boolean {
  const isInTime = (pem: string) => {
    const { validFromDate, validToDate } = new X509Certificate(pem)
    return validFromDate.getTime() <= now && now < validToDate.getTime()
  }
  return isInTime(cert) && bundle.some((ca) => isInTime(ca) && isSignedBy(cert, ca))
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
  t.ok(isSignedBy(serving.cert, store.text('ca', 'tls.crt')))

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

t.test('at each time, each API server trusts what is served', async (t) => {
  const minute = 60_000
  const rows = [
    { name: 'usual', lateFiles: 0, lateBundle: 0, skew: 0 },
    { name: 'files as late as a kubelet delivers them', lateFiles: 2, lateBundle: 0, skew: 0 },
    { name: 'files later than the overlap', lateFiles: 6, lateBundle: 0, skew: 0 },
    { name: 'API servers that learn of the bundle late', lateFiles: 0, lateBundle: 4, skew: 0 },
    { name: 'clocks of both replicas that differ', lateFiles: 2, lateBundle: 4, skew: 4 },
    // the limit: what the overlap is for
    { name: 'API servers later than the overlap', lateFiles: 0, lateBundle: 6, skew: 0, fails: true },
  ]
  for (const { name, lateFiles, lateBundle, skew, fails = false } of rows) {
    const store = new Store()
    const served: string[] = []
    const trusted: string[][] = []
    const states: string[] = []
    let failures = 0
    for (let at = 0; at < 90; at += 1) {
      for (const ahead of [0, skew]) {
        await ensureCertificates({
          ...options(store),
          policy: {
            ...policy,
            authorityLifetime: 60 * minute,
            servingLifetime: 20 * minute,
            overlap: 5 * minute,
          },
          now: () => start + (at + ahead) * minute,
        })
      }
      served.push(store.text('tls', 'tls.crt'))
      trusted.push(store.bundle(t))
      const cert = served[Math.max(at - lateFiles, 0)] ?? ''
      const bundle = trusted[Math.max(at - lateBundle, 0)] ?? []
      const now = start + at * minute
      if (!isAccepted(cert, bundle, now)) failures += 1
      const state = bundle.map((ca) => (ca === trusted[0]?.[0] ? 'first' : 'other')).join()
      if (states.at(-1) !== state) states.push(state)
    }
    t.equal(failures > 0, fails, `${name}: ${failures} failures`)
    t.strictSame(states.slice(0, 3), ['first', 'first,other', 'other,first'], name)
  }
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
})

t.test('a lost CA: its certificate stays in use until the API servers know the new one', async (t) => {
  const store = new Store()
  await ensureCertificates(options(store))
  const [ca, cert] = [store.text('ca', 'tls.crt'), store.text('tls', 'tls.crt')]
  store.secrets.delete('ca')
  await ensureCertificates(options(store, 1))
  const newCa = store.text('ca', 'tls.crt')
  t.not(newCa, ca)
  t.strictSame(store.bundle(t), [newCa, ca])
  t.equal(store.text('tls', 'tls.crt'), cert)

  await ensureCertificates(options(store, 2))
  t.ok(isSignedBy(store.text('tls', 'tls.crt'), newCa))
  t.strictSame(store.bundle(t), [newCa, ca], 'and trusted longer than that: files may be late')
})

t.test('both Secrets lost: what the webhook still serves stays trusted, by the bundle itself', async (t) => {
  const store = new Store()
  await ensureCertificates(options(store))
  const ca = store.text('ca', 'tls.crt')
  store.secrets.clear()
  await ensureCertificates(options(store))
  const newCa = store.text('ca', 'tls.crt')
  t.not(newCa, ca)
  t.strictSame(store.bundle(t), [newCa, ca])
  t.ok(isSignedBy(store.text('tls', 'tls.crt'), newCa), 'pods that start need one at once')
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
