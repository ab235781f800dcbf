// What both dialects of this kind share is in haproxytech-snippet.test.ts: here is whose text it is, and what people are told.
import t from 'tap'
import { haproxytechWords } from '../../../../annotator/plan/dialects/haproxytech-words.ts'
import { isOurSnippet, snippetDialect } from '../../../../annotator/plan/dialects/snippet.ts'

const dialect = snippetDialect({
  annotation: 'shop.test/snippet',
  controller: 'shop.test/controller',
  words: haproxytechWords,
  reachesTCP: true,
  customResources: { tcps: [], backends: [] },
  advice: { taken: 'move it', ports: 'use two' },
})
const servers = {
  namespace: 'shop',
  prefix: 'web-in',
  slots: 16,
  family: 'ipv4' as const,
  ports: { shop_svc_web_http: 8080 },
}
const text = dialect.write(servers)

t.test('a text is ours by its beginning alone', async (t) => {
  const rows: [string, boolean][] = [
    [text, true],
    ['# written by zonefirst', true],
    [`\n${text}`, false],
    [`http-response set-header x y\n${text}`, false],
    ['', false],
  ]
  for (const [value, want] of rows) {
    t.equal(isOurSnippet(value), want, JSON.stringify(value.slice(0, 40)))
    t.equal(dialect.isOurs(value), want)
  }
})

t.test('a refusal names the annotation and ends with the dialect’s advice', async (t) => {
  t.strictSame(dialect.refuse(servers, 'option httpchk'), {
    reason: 'SnippetTaken',
    message: "the annotation shop.test/snippet holds somebody else's text: move it",
  })
  const several = { ...servers, ports: { one: 8080, other: 9090 } }
  t.match(dialect.refuse(several, text), { reason: 'SeveralPorts', message: /: use two$/ })
})

t.test('ours is read back, and what was cut or changed is not', async (t) => {
  t.strictSame(dialect.read(text), { slots: 16, prefix: 'web-in' })
  const changed = text.replace(/"web-in-[^.]*\./, '"web-in-a.')
  for (const value of ['# written by zonefirst', '# written by zonefirst\nserver x 10.0.0.1:80', changed])
    t.equal(dialect.read(value), undefined, value)
})
