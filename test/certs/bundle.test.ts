import t from 'tap'
import { isTrusted, trustedCertificates } from '../../certs/bundle.ts'

t.test('a certificate is trusted where each webhook has it in its bundle', async (t) => {
  const webhook = (name: string, bundle?: string) => ({
    name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { ...(bundle && { caBundle: Buffer.from(bundle).toString('base64') }) },
  })
  const rows = [
    { name: 'in both', webhooks: [webhook('a', 'A\nB\n'), webhook('b', 'B\n')], want: true },
    { name: 'in one', webhooks: [webhook('a', 'A\nB\n'), webhook('b', 'A\n')], want: false },
    { name: 'in one, the other has no bundle', webhooks: [webhook('a', 'B\n'), webhook('b')], want: false },
    { name: 'no webhooks: nobody calls', webhooks: [], want: true },
  ]
  for (const { name, webhooks, want } of rows) t.equal(isTrusted({ webhooks }, 'B\n'), want, name)
  t.equal(isTrusted(undefined, 'B\n'), true, 'no configuration: nobody calls')
})

t.test('the certificates in the bundles, as they are', async (t) => {
  const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`
  const clientConfig = (text: string) => ({ caBundle: Buffer.from(text).toString('base64') })
  const base = { admissionReviewVersions: ['v1'], sideEffects: 'None' }
  const webhooks = [
    { ...base, name: 'a', clientConfig: clientConfig(`# a comment\n${pem('A')}${pem('B')}`) },
    { ...base, name: 'b', clientConfig: {} },
    { ...base, name: 'c', clientConfig: clientConfig(pem('C').trimEnd()) },
  ]
  t.strictSame(trustedCertificates({ webhooks }), [pem('A'), pem('B'), pem('C').trimEnd()])
  t.strictSame(trustedCertificates(undefined), [])
})
