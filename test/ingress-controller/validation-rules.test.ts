// The ValidationRules object that is installed, evaluated by the stand-in's CEL and text/template: it turns the
// annotation into the very lines of server-lines.ts, and lets nothing else through.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { haproxytechCustomAnnotation as dialect } from '../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { serverLines } from '../../annotator/plan/server-lines.ts'
import { zonalServiceHost } from '../../annotator/plan/zonal-host.ts'
import { prepare } from '../cluster/prepare.ts'
import { root } from '../cluster/tools.ts'
import { hostileTexts } from '../fixtures/arbitrary/values.ts'
import { endpointSlice, httpPort, ingress, ingressClass, recordedPods, render, service } from './objects.ts'

prepare(process.env)

const rules = parse(
  readFileSync(join(root, 'manifests/ingress-controller/validation-rules.yaml'), 'utf8'),
) as object
const name = 'default_svc_web_http'
const servers = { namespace: 'default', prefix: 'web-in', slots: 8, ports: { [name]: 8080 } }

/** The lines between the comment that names the rule and the block's end, indentation aside. */
function lines(value: string, backend = name): string[] {
  const ports = [httpPort, { name: 'other', port: 81, targetPort: 'other' }]
  const objects = [
    ingressClass,
    service({ [dialect.annotation]: value }, ports),
    ingress({}, [{ name: 'http' }, { name: 'other' }]),
    endpointSlice(recordedPods),
    rules,
  ]
  const text = render(objects).get(backend) ?? ''
  const block = /### zonefirst\.io\/servers ###\n([\s\S]*)\n {2}###_config-snippet_### END/.exec(text)?.[1]
  if (block === undefined) throw new Error(`there is no block in:\n${text}`)
  return block.split('\n').map((line) => line.trim())
}

t.test('the template gives the lines of server-lines.ts', async (t) => {
  for (const family of ['ipv4', 'ipv6'] as const) {
    const value = dialect.write({ ...servers, family })
    const { namespace, prefix, slots } = servers
    t.same(
      lines(value),
      serverLines({ host: zonalServiceHost.write({ namespace, prefix }), slots, port: 8080, family }),
      family,
    )
    t.same(lines(value, 'default_svc_web_other'), [''], 'a backend without a port in the value gets no line')
  }
})

t.test('a Service whose name begins with a digit, as from Kubernetes 1.36 on', async (t) => {
  t.match(lines(dialect.write({ ...servers, prefix: '1web-in', family: 'ipv4' }))[4], /"1web-in-\$\{ZONE\}\./)
})

t.test('the rule refuses what is no value of ours', async (t) => {
  const good = JSON.parse(dialect.write({ ...servers, family: 'ipv4' })) as object
  const refused: Record<string, object> = {
    ...Object.fromEntries(
      hostileTexts.flatMap((text, index) => [
        [`hostile text ${index} as name`, { ...good, name: text }],
        [`hostile text ${index} at the end of the name`, { ...good, name: `web-in${text || '-'}` }],
        [`hostile text ${index} as slots`, { ...good, slots: text }],
        [`hostile text ${index} as port`, { ...good, ports: { [name]: text } }],
        [`hostile text ${index} as family`, { ...good, family: text }],
        [`hostile text ${index} as key`, { ...good, [text || ' ']: 'x' }],
      ]),
    ),
    'a foreign namespace': { ...good, NAMESPACE: 'other' },
    'an unknown key': { ...good, check: true },
    'no name': { ...good, name: undefined },
    'a newline in the name': { ...good, name: 'web-in\n  server x 127.0.0.1:1' },
    'a name with dots': { ...good, name: 'web.other' },
    'a name in upper case': { ...good, name: 'WEB' },
    'a name that is a list': { ...good, name: ['web-in'] },
    'a million slots': { ...good, slots: 1_000_000 },
    'slots as text': { ...good, slots: '8' },
    'slots that are no power of two': { ...good, slots: 9 },
    'no slots': { ...good, slots: undefined },
    'a port as text': { ...good, ports: { [name]: '8080\n  server x 127.0.0.1:1' } },
    'port 0': { ...good, ports: { [name]: 0 } },
    'a port above 65535': { ...good, ports: { [name]: 65_536 } },
    'half a port': { ...good, ports: { [name]: 80.5 } },
    'a list of ports': { ...good, ports: [8080] },
    'no ports': { ...good, ports: undefined },
    'an unknown family': { ...good, family: 'ipv4 init-addr libc' },
    'a family that is a number': { ...good, family: 6 },
  }
  for (const [what, value] of Object.entries(refused)) {
    const [line = '', ...more] = lines(JSON.stringify(value))
    t.match(line, /^# ERROR: /, what)
    t.ok(
      more.every((next) => next.startsWith('#')),
      `${what}: nothing but comments`,
    )
  }
  for (const text of ['[]', '"web-in"', '8', 'null', '{', 'server x 127.0.0.1:1']) {
    t.match(lines(text)[0], /^# ERROR: /, text)
  }
})
