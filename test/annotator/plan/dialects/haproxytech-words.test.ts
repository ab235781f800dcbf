import t from 'tap'
import { haproxytechWords as words } from '../../../../annotator/plan/dialects/haproxytech-words.ts'
import { userSettings } from '../../../../annotator/plan/user-settings.ts'
import { input, service } from '../../../fixtures/cluster-objects.ts'

const settingsOf = (annotations: Record<string, string>) =>
  userSettings(words.prefixes, input({ primary: service({ metadata: { annotations } }) }))

t.test(
  'its backends are named by namespace, Service and port, and by the Ingress that wants its own',
  async (t) => {
    const web = { namespace: 'shop', service: 'web', standalone: undefined }
    const http = { name: 'http', port: 80, targetPort: 8080 }
    t.equal(words.backendName({ ...web, port: http }), 'shop_svc_web_http')
    t.equal(words.backendName({ ...web, port: { port: 80, targetPort: 8080 } }), 'shop_svc_web_80')
    t.equal(words.backendName({ ...web, port: http, standalone: 'alone' }), 'shop_alone_svc_web_http')
  },
)

t.test('it takes a setting under any of its prefixes', async (t) => {
  for (const prefix of ['haproxy.org/', 'ingress.kubernetes.io/', 'haproxy.com/', 'zonefirst.io/', '']) {
    const said = settingsOf({ [`${prefix}load-balance`]: 'source' }).read(words.balance)
    t.strictSame(said, [{ value: 'source', where: 'on the Service' }], `"${prefix}"`)
  }
  t.strictSame(settingsOf({ 'haproxy-ingress.github.io/load-balance': 'source' }).read(words.balance), [])
})

t.test('a cookie is static where it has a name', async (t) => {
  const cookie = (annotations: Record<string, string>) => words.staticCookie(settingsOf(annotations).read)
  const key = 'haproxy.org/cookie-persistence-no-dynamic'
  t.strictSame(cookie({ [key]: 'mine' }), { value: 'mine', where: 'on the Service' })
  t.equal(cookie({ [key]: ' ' }), undefined)
  t.equal(cookie({ 'haproxy.org/cookie-persistence': 'mine' }), undefined, 'a dynamic one')
})
