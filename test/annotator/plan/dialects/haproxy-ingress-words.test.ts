// What goes with ours and what doesn't, on whatever object, is in refused-settings.test.ts: here is every option, and every
// spelling of it.
import t from 'tap'
import { haproxyIngressWords as words } from '../../../../annotator/plan/dialects/haproxy-ingress-words.ts'
import { userSettings } from '../../../../annotator/plan/user-settings.ts'
import { input, service } from '../../../fixtures/cluster-objects.ts'

const settingsOf = (said: Record<string, string>) => {
  const entries = Object.entries(said).map(([name, value]) => [`haproxy-ingress.github.io/${name}`, value])
  const primary = service({ metadata: { annotations: Object.fromEntries(entries) } })
  return userSettings(words.prefixes, input({ primary }))
}

t.test('its backends are named by namespace, Service and target port', async (t) => {
  const web = { namespace: 'shop', service: 'web', standalone: 'alone' }
  t.equal(words.backendName({ ...web, port: { name: 'http', port: 80, targetPort: 8080 } }), 'shop_web_8080')
  t.equal(words.backendName({ ...web, port: { port: 80, targetPort: 'http' } }), 'shop_web_http')
  t.equal(words.backendName({ ...web, port: { name: 'http', port: 80 } }), 'shop_web_80', 'where it has none')
})

t.test('every option of servers is refused by its name, unless its value says nothing', async (t) => {
  const given = { counts: ['x'], harmless: [''] }
  const numbers = { counts: ['1', '9000'], harmless: ['', '0', '-1', 'x'] }
  const switches = { counts: ['1', 't', 'T', 'true', 'True', 'TRUE'], harmless: ['', '0', 'false', 'yes'] }
  const rows: Record<string, { counts: string[]; harmless: string[] }> = {
    'agent-check-port': numbers,
    'backend-protocol': { counts: ['h2', 'H1-SSL', 'grpc'], harmless: ['', 'h1', 'H1', 'http', 'HTTP'] },
    'blue-green-balance': given,
    'blue-green-cookie': given,
    'blue-green-deploy': given,
    'blue-green-header': given,
    'health-check-addr': given,
    'health-check-port': numbers,
    'maxconn-server': numbers,
    'maxqueue-server': numbers,
    'proxy-protocol': { counts: ['v1', 'v2', 'v2-ssl-cn'], harmless: ['', 'no'] },
    'secure-backends': switches,
    'service-upstream': switches,
    'source-address-intf': given,
  }
  for (const [name, { counts, harmless }] of Object.entries(rows)) {
    for (const value of counts) {
      const refusal = words.refuse(settingsOf({ [name]: value }))
      t.equal(refusal?.reason, 'ServerOptions', `${name}: "${value}"`)
      t.ok(refusal?.message.startsWith(`${name} (set on the Service)`), `${name} is named`)
    }
    for (const value of harmless)
      t.equal(words.refuse(settingsOf({ [name]: value })), undefined, `${name}: "${value}"`)
  }
})

t.test('a cookie is static unless it is switched to be dynamic', async (t) => {
  const isStatic = (said: Record<string, string>) => words.staticCookie(settingsOf(said).read) !== undefined
  t.equal(isStatic({ affinity: 'cookie' }), false, 'dynamic is what the controller does by itself')
  t.equal(isStatic({ affinity: 'cookie', 'session-cookie-dynamic': 'true' }), false)
  t.equal(isStatic({ affinity: 'cookie', 'session-cookie-dynamic': 'false' }), true)
  t.equal(isStatic({ affinity: '', 'session-cookie-dynamic': 'false' }), false, 'without affinity')
})
