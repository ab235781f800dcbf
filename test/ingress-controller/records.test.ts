// Holds the stand-in's backends against those that the real controller 3.2.9 wrote, and its custom annotations
// against what was seen of the real one's.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { prepare } from '../cluster/prepare.ts'
import {
  endpointSlice,
  httpPort,
  ingress,
  ingressClass,
  type Rule,
  recordedPods,
  render,
  service,
  validationRules,
} from './objects.ts'

prepare(process.env)

const record = (name: string) =>
  readFileSync(join(import.meta.dirname, 'records', `backend-${name}.cfg`), 'utf8')

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: HAProxy expands them, not we
const servers: Rule = {
  section: 'backend',
  type: 'json',
  rule: "dyn(value).all(k, k in ['name','slots','ports']) && type(value.slots) == double && value.slots in [8.0, 16.0]",
  template: [
    '{{ with $port := index .ports .BACKEND }}{{ if $.NAMESPACE }}.if !streq("${ZONE_RESOLVERS}","") && !streq("${ZONE}","")',
    '  option allbackups',
    '  option redispatch 1',
    '  default-server backup',
    '  server-template local-{{$port}}- {{$.slots}} "{{$.name}}-${ZONE}.{{$.NAMESPACE}}.svc.cluster.local:{{$port}}" no-backup resolvers "${ZONE_RESOLVERS}" resolve-prefer ipv4 init-addr none check inter 1s fall 2 rise 1 observe layer4 error-limit 1 on-error mark-down',
    '  .endif{{ end }}{{ end }}',
  ].join('\n'),
}
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
const rules = validationRules({ servers })
const key = 'backend.zonefirst.io/servers'
const value = { name: 'web-in', slots: 8, ports: { default_svc_web_http: 8080 } }
const annotation = { [key]: JSON.stringify(value) }
const snippet = { 'haproxy.org/backend-config-snippet': 'http-response set-header X-Mine yes\n' }

function backend(
  annotations: Record<string, string>,
  { flags = [] as string[], onIngress = {}, extra = [rules] as object[] } = {},
) {
  const objects = [
    ingressClass,
    service(annotations),
    ingress(onIngress),
    endpointSlice(recordedPods),
    ...extra,
  ]
  return render(objects, flags).get('default_svc_web_http')
}
const block = (text: string | undefined) =>
  /BEGIN\n([\s\S]*)\n {2}###_config-snippet_### END/.exec(text ?? '')?.[1]

t.test('as recorded: plain', async (t) => {
  t.equal(backend({}, { extra: [] }), record('plain'))
  t.equal(backend({}), record('plain'), 'rules that no annotation names change nothing')
})

t.test('as recorded: server options stand on default-server, above the block', async (t) => {
  const options = {
    'haproxy.org/send-proxy-protocol': 'proxy',
    'haproxy.org/server-ssl': 'true',
    'haproxy.org/pod-maxconn': '12',
    'haproxy.org/cookie-persistence': 'LB',
  }
  t.equal(
    backend({ ...annotation, ...options }, { flags: ['--controller-replicas=3'] }),
    record('server-options'),
  )
})

t.test('as recorded: a custom annotation beside the user’s snippet', async (t) => {
  t.equal(backend({ ...annotation, ...snippet }), record('custom-annotation-beside-user-snippet'))
})

t.test('--disable-config-snippets takes the user’s snippet and leaves the custom annotation', async (t) => {
  for (const disabled of ['all', 'frontend,backend']) {
    const text = backend({ ...annotation, ...snippet }, { flags: [`--disable-config-snippets=${disabled}`] })
    t.notMatch(text, 'X-Mine')
    t.match(text, 'server-template local-8080- 8 "web-in-')
  }
})

t.test('the order within the block', async (t) => {
  const line = (template: string, order_priority = 0): Rule => ({
    type: 'string',
    rule: 'true',
    template,
    order_priority,
  })
  const text = backend(
    {
      ...snippet,
      'backend.zonefirst.io/a': 'one',
      'backend.zonefirst.io/b': 'two',
      'backend.zonefirst.io/c': 'three',
    },
    {
      onIngress: {
        'haproxy.org/backend-config-snippet': '# ingress',
        'backend.zonefirst.io/a': 'ignored',
        'backend.zonefirst.io/d': 'ignored',
      },
      extra: [
        validationRules({
          a: line('# {{.}}'),
          b: line('# {{.}}'),
          c: line('# {{.}}', 5),
          d: line('# {{.}}'),
        }),
      ],
    },
  )
  t.equal(
    block(text),
    [
      '  ### service:default_svc_web_http/default/web ###',
      '  http-response set-header X-Mine yes',
      '  ### zonefirst.io/c ###',
      '  # three',
      '  ### zonefirst.io/a ###',
      '  # one',
      '  ### zonefirst.io/b ###',
      '  # two',
      '  ### ingress:default_svc_web_http/default/web ###',
      '  # ingress',
    ].join('\n'),
  )
})

t.test('a refused value or a failing template leaves only a comment', async (t) => {
  const refused = {
    'a foreign key': { ...value, NAMESPACE: 'other' },
    'a million slots': { ...value, slots: 1_000_000 },
    'slots that are no number': { ...value, slots: '8' },
  }
  for (const [name, wrong] of Object.entries(refused)) {
    const lines = block(backend({ [key]: JSON.stringify(wrong) }))?.split('\n') ?? []
    t.equal(lines[0], '  ### zonefirst.io/servers ###', name)
    t.match(lines[1], /^ {2}# ERROR: .*refused/, name)
    t.equal(lines.length, 2, name)
  }
  t.match(block(backend({ [key]: 'no JSON\nat all' })), /^ {2}### zonefirst.io\/servers ###\n( {2}#.*\n?)+$/)
  const failing: Rule = { type: 'string', rule: 'true', template: 'maxconn {{ index .value "x" }}' }
  t.match(
    block(backend({ 'backend.zonefirst.io/f': 'y' }, { extra: [validationRules({ f: failing })] })),
    /# ERROR:.*index/,
  )
  const broken: Rule = { type: 'string', rule: 'value ==', template: 'maxconn 1' }
  t.throws(
    () => backend({}, { extra: [validationRules({ broken })] }),
    /rule broken/,
    'an expression that is none is reported',
  )
})

t.test('the value’s keys cannot replace BACKEND or the Ingress’s NAMESPACE', async (t) => {
  const open: Rule = { type: 'json', rule: 'true', template: '# {{.NAMESPACE}} {{.BACKEND}} {{.SERVICE}}' }
  const text = backend(
    { 'backend.zonefirst.io/open': '{"NAMESPACE":"other","BACKEND":"x","SERVICE":"y"}' },
    { extra: [validationRules({ open })] },
  )
  t.match(text, '  # default default_svc_web_http web\n')
})

t.test('each routed port of a Service has its backend with its own port', async (t) => {
  const ports = [httpPort, { port: 9000, targetPort: 'admin' }]
  const slicePorts = [
    { name: 'http', port: 8080 },
    { name: '', port: 9001 },
  ]
  const both = { ...value, ports: { default_svc_web_http: 8080, default_svc_web_9000: 9001 } }
  const backends = render([
    ingressClass,
    service({ [key]: JSON.stringify(both) }, ports),
    ingress({}, [{ name: 'http' }, { number: 9000 }]),
    endpointSlice(recordedPods, slicePorts),
    rules,
  ])
  t.same([...backends.keys()].sort(), ['default_svc_web_9000', 'default_svc_web_http'])
  t.match(backends.get('default_svc_web_9000'), 'server SRV_1 10.88.1.13:9001 enabled')
  t.match(backends.get('default_svc_web_9000'), 'server-template local-9001- 8 ')
  t.match(backends.get('default_svc_web_http'), 'server SRV_1 10.88.1.13:8080 enabled')
  t.match(backends.get('default_svc_web_http'), 'server-template local-8080- 8 ')
})

t.test('endpoints that are not ready are not there; slots come in steps of 42', async (t) => {
  const many = Array.from({ length: 43 }, (_, index) => ({ address: `10.88.1.${index + 1}`, zone: 'zone-a' }))
  const rendered = (pods: Parameters<typeof endpointSlice>[0]) =>
    render([ingressClass, service(), ingress(), endpointSlice(pods)]).get('default_svc_web_http') ?? ''
  const count = (text: string, state: string) => text.match(new RegExp(`SRV_.* ${state}$`, 'gm'))?.length
  t.equal(count(rendered(many.slice(0, 42)), 'enabled'), 42)
  t.equal(count(rendered(many), 'enabled'), 43)
  t.equal(count(rendered(many), 'disabled'), 83, 'more than a step keeps a step free')
  t.equal(count(rendered(many.slice(0, 3).map((pod, i) => ({ ...pod, ready: i > 0 }))), 'enabled'), 2)
})

t.test('an Ingress of another class is not routed', async (t) => {
  const other = { ...ingressClass, spec: { controller: 'example.com/other' } }
  t.equal(render([other, service(), ingress(), endpointSlice(recordedPods)]).size, 0)
})
