import t from 'tap'
import { dialects, writtenOn } from '../../../../annotator/plan/dialects/all.ts'
import { service } from '../../../fixtures/cluster-objects.ts'

const all = Object.values(dialects)
const servers = {
  namespace: 'shop',
  prefix: 'web-in',
  slots: 8,
  family: 'ipv4' as const,
  ports: { shop_svc_web_http: 8080 },
}

t.test('each has an annotation of its own', async (t) => {
  t.equal(new Set(all.map(({ annotation }) => annotation)).size, all.length)
})

t.test('what is written on a Service: ours of every dialect that is known, and nobody else’s', async (t) => {
  const ours = Object.fromEntries(all.map(({ annotation, write }) => [annotation, write(servers)]))
  const on = (annotations: Record<string, string>) => service({ metadata: { annotations } })
  t.strictSame(writtenOn(on({ ...ours, 'shop.test/note': 'x' }), all), ours)
  const { annotation, write } = dialects['haproxytech-snippet']
  t.strictSame(writtenOn(on(ours), [dialects['haproxytech-snippet']]), { [annotation]: write(servers) })
  t.strictSame(writtenOn(on({ [annotation]: 'http-response set-header x y' }), all), {}, 'a user’s text')
  t.strictSame(writtenOn(service(), all), {})
})
