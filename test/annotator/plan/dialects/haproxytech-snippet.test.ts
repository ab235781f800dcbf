import t from 'tap'
import { haproxytechSnippet as dialect } from '../../../../annotator/plan/dialects/haproxytech-snippet.ts'
import { serverLines } from '../../../../annotator/plan/server-lines.ts'
import { zonalServiceHost } from '../../../../annotator/plan/zonal-host.ts'

const one = {
  namespace: 'shop',
  prefix: 'web-in',
  slots: 16,
  family: 'ipv4' as const,
  ports: { shop_svc_web_http: 8080 },
}

t.test('the text', async (t) => {
  const text = dialect.write(one)
  const lines = serverLines({ ...one, host: zonalServiceHost.write(one), port: 8080 })
  t.strictSame(text.split('\n'), ['# written by zonefirst', ...lines, ''])
  t.strictSame(dialect.read(text), { prefix: 'web-in', slots: 16 })
  t.equal(dialect.refuse(one, text), undefined)
  t.equal(dialect.refuse(one, undefined), undefined)
})

t.test('a user’s text is never touched', async (t) => {
  t.match(dialect.refuse(one, 'http-response set-header x y'), { reason: 'SnippetTaken' })
  t.match(dialect.refuse(one, ''), { reason: 'SnippetTaken' }, 'not even an empty one')
  const [, ...unmarked] = dialect.write(one).split('\n')
  t.equal(dialect.read(unmarked.join('\n')), undefined, 'not even one that looks like ours')
})

t.test('one text for all backends, so one port', async (t) => {
  const several = { ...one, ports: { shop_svc_web_http: 8080, shop_svc_web_admin: 9090 } }
  t.match(dialect.refuse(several, undefined), { reason: 'SeveralPorts' })
  const same = { ...one, ports: { shop_svc_web_http: 8080, shop_alone_svc_web_http: 8080 } }
  t.equal(dialect.refuse(same, undefined), undefined)
})
