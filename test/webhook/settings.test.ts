import t from 'tap'
import { readSettings } from '../../lib/settings.ts'
import { settings } from '../../webhook/settings.ts'

t.test('defaults: changing one is a decision, and changes this test', async (t) => {
  t.strictSame(readSettings(settings, {}), {
    listenAddress: '::',
    port: 10250,
    probesPort: 8080,
    tlsFolder: '/run/zonefirst/tls',
    clientCAFile: '',
    lookupTimeout: 1500,
    maxLookups: 100,
    bodyLimit: 4_194_304,
    drainDelay: 5000,
    kubeconfig: '',
    logLevel: 'info',
  })
})

t.test('no variable looks like one that Kubernetes sets for a Service', async (t) => {
  for (const { env } of Object.values(settings)) {
    t.match(env, /^ZONEFIRST_/)
    t.notMatch(env, /^ZONEFIRST_(WEBHOOK|ANNOTATOR)_/)
  }
})
