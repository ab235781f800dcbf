import t from 'tap'
import { settings } from '../../certs/settings.ts'
import { readSettings } from '../../lib/settings.ts'

const hourMs = 3_600_000

t.test('defaults: changing one is a decision, and changes this test', async (t) => {
  const values = readSettings(settings, {})
  t.strictSame(values, {
    once: false,
    interval: 60_000,
    namespace: 'zonefirst-system',
    service: 'zonefirst-webhook',
    configuration: 'zonefirst',
    authorityLifetime: 3 * 365 * 24 * hourMs,
    servingLifetime: 90 * 24 * hourMs,
    overlap: 600_000,
    listenAddress: '::',
    probesPort: 8080,
    kubeconfig: '',
    logLevel: 'info',
  })
  t.ok(values.authorityLifetime >= 3 * values.servingLifetime, 'as the program demands')
})
