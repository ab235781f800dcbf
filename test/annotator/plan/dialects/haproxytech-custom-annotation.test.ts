import t from 'tap'
import { haproxytechCustomAnnotation as dialect } from '../../../../annotator/plan/dialects/haproxytech-custom-annotation.ts'

const servers = {
  namespace: 'shop',
  prefix: 'web-in',
  slots: 8,
  family: 'ipv4' as const,
  ports: { shop_svc_web_http: 8080, shop_svc_web_admin: 9090 },
}

t.test('values only, sorted', async (t) => {
  const want = '{"name":"web-in","slots":8,"ports":{"shop_svc_web_admin":9090,"shop_svc_web_http":8080}}'
  t.equal(dialect.write(servers), want)
  t.equal(dialect.write({ ...servers, family: 'ipv6' }), want.replace(/}$/, ',"family":"ipv6"}'))
  t.strictSame(dialect.read(want), { prefix: 'web-in', slots: 8 })
})

t.test('values that nobody of us wrote can’t be read', async (t) => {
  for (const value of [undefined, '', 'x', '[]', '{}', 'null', '7', '{"name":1,"slots":8}']) {
    t.equal(dialect.read(value), undefined, String(value))
  }
})

t.test('it expresses everything', async (t) => t.equal(dialect.refuse(servers, 'anything'), undefined))
