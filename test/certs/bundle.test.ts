import t from 'tap'
import { isTrusted } from '../../certs/bundle.ts'

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
