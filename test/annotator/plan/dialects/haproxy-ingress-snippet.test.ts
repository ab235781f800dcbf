import t from 'tap'
import { haproxyIngressSnippet as dialect } from '../../../../annotator/plan/dialects/haproxy-ingress-snippet.ts'
import { haproxytechSnippet } from '../../../../annotator/plan/dialects/haproxytech-snippet.ts'

const servers = {
  namespace: 'shop',
  prefix: 'web-in',
  slots: 16,
  family: 'ipv4' as const,
  ports: { shop_svc_web_http: 8080 },
}

t.test('the same text under its own annotation', async (t) => {
  t.equal(dialect.annotation, 'haproxy-ingress.github.io/config-backend')
  t.equal(dialect.write(servers), haproxytechSnippet.write(servers))
  t.match(
    dialect.write(servers),
    /server-template .* check inter 1s /,
    'its servers’ options are on the line itself',
  )
  t.match(dialect.refuse(servers, 'acl x always_true'), {
    reason: 'SnippetTaken',
    message: /config-backend-early/,
  })
})
