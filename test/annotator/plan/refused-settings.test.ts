import t from 'tap'
import { haproxyIngressSnippet } from '../../../annotator/plan/dialects/haproxy-ingress-snippet.ts'
import { haproxytechCustomAnnotation } from '../../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { haproxytechSnippet } from '../../../annotator/plan/dialects/haproxytech-snippet.ts'
import type { Input } from '../../../annotator/plan/input.ts'
import type { Reason } from '../../../annotator/plan/reasons.ts'
import { refusalOfSettings } from '../../../annotator/plan/refused-settings.ts'
import { ingress, input, service } from '../../fixtures/cluster-objects.ts'

const given = (annotations: Record<string, string>, ingressAnnotations: Record<string, string> = {}) =>
  input({
    primary: service({ metadata: { ...service().metadata, annotations } }),
    ingresses: [ingress(), ingress({ metadata: { annotations: ingressAnnotations } })],
  })

t.test('haproxytech’s words', async (t) => {
  const rows = [
    { name: 'nothing said', input: given({}), want: undefined },
    {
      name: 'a static cookie on an Ingress',
      input: given({}, { 'haproxy.org/cookie-persistence-no-dynamic': 'mycookie' }),
      want: 'StaticCookie',
    },
    {
      name: 'a dynamic cookie',
      input: given({ 'haproxy.org/cookie-persistence': 'mycookie' }),
      want: undefined,
    },
    {
      name: 'under another prefix',
      input: given({ 'ingress.kubernetes.io/cookie-persistence-no-dynamic': 'mycookie' }),
      want: 'StaticCookie',
    },
    {
      name: 'without a prefix',
      input: given({ 'cookie-persistence-no-dynamic': 'mycookie' }),
      want: 'StaticCookie',
    },
    {
      name: 'under the prefix of the ValidationRules object, which the controller takes for one of its own',
      input: given({ 'zonefirst.io/backend-config-snippet': 'server x 10.0.0.1:80' }),
      want: 'SnippetUndoes',
    },
    { name: 'by a hash', input: given({ 'haproxy.org/load-balance': 'hdr(x-user)' }), want: 'HashBalancing' },
    {
      name: 'by a hash, with consent',
      input: given({ 'haproxy.org/load-balance': 'source', 'zonefirst.io/allow-hash-balancing': 'true' }),
      want: undefined,
    },
    {
      name: 'a stick table in an Ingress’s snippet',
      input: given({}, { 'haproxy.org/backend-config-snippet': 'stick on src' }),
      want: 'StickTable',
    },
    {
      name: 'a server line in the Service’s own snippet',
      input: given({ 'haproxy.org/backend-config-snippet': 'server x 10.0.0.1:80' }),
      want: 'SnippetUndoes',
    },
  ]
  for (const { name, input, want } of rows) {
    t.equal(refusalOfSettings(input, haproxytechCustomAnnotation)?.reason, want, name)
  }
  const servers = {
    namespace: 'shop',
    prefix: 'web-in',
    slots: 8,
    family: 'ipv4' as const,
    ports: { b: 8080 },
  }
  const own = given({ 'haproxy.org/backend-config-snippet': haproxytechSnippet.write(servers) })
  t.equal(refusalOfSettings(own, haproxytechSnippet), undefined, 'our own text does not count')
  const copied = given({}, { 'haproxy.org/backend-config-snippet': haproxytechSnippet.write(servers) })
  t.match(refusalOfSettings(copied, haproxytechSnippet), {
    reason: 'SnippetUndoes',
    message: /on an Ingress/,
  })
})

t.test('the controller’s own ConfigMap holds for every Service that says nothing else', async (t) => {
  const rows: {
    name: string
    own?: Record<string, string>
    config: Record<string, string>
    want: unknown
  }[] = [
    {
      name: 'a static cookie',
      config: { 'cookie-persistence-no-dynamic': 'mycookie' },
      want: { reason: 'StaticCookie', message: /set in the controller’s ConfigMap/ },
    },
    { name: 'a dynamic cookie', config: { 'cookie-persistence': 'mycookie' }, want: undefined },
    {
      name: 'by a hash',
      config: { 'load-balance': 'uri' },
      want: { reason: 'HashBalancing', message: /uri, set in the controller’s ConfigMap/ },
    },
    {
      name: 'by a hash, where the Service says otherwise',
      own: { 'haproxy.org/load-balance': 'leastconn' },
      config: { 'load-balance': 'uri' },
      want: undefined,
    },
    {
      name: 'by a hash on the Service',
      own: { 'haproxy.org/load-balance': 'source' },
      config: { 'load-balance': 'leastconn' },
      want: { reason: 'HashBalancing', message: /source, set on the Service/ },
    },
    {
      name: 'a server line, beside a harmless snippet on the Service',
      own: { 'haproxy.org/backend-config-snippet': 'http-response set-header x-mine yes' },
      config: { 'backend-config-snippet': 'server mine 10.0.0.1:80' },
      want: { reason: 'SnippetUndoes', message: /`server mine 10.0.0.1:80`, in the controller’s ConfigMap/ },
    },
    {
      name: 'checks, time-outs and other defaults, which the template inherits or has itself',
      config: {
        check: 'false',
        'check-http': '/health',
        'check-interval': '10s',
        'timeout-check': '5s',
        'timeout-server': '50s',
        'pod-maxconn': '30',
        'server-slots': '10',
        'send-proxy-protocol': 'proxy',
        'server-ssl': 'true',
      },
      want: undefined,
    },
    {
      name: 'under another controller’s name',
      config: { 'haproxy.org/load-balance': 'uri' },
      want: undefined,
    },
  ]
  for (const { name, own = {}, config, want } of rows) {
    const refusal = refusalOfSettings(
      { ...given(own), controllerSettings: [config] },
      haproxytechCustomAnnotation,
    )
    if (want === undefined) t.equal(refusal, undefined, name)
    else t.match(refusal, want, name)
  }
  const config = { 'balance-algorithm': 'uri' }
  const refusal = refusalOfSettings({ ...given({}), controllerSettings: [config] }, haproxyIngressSnippet)
  t.equal(refusal?.reason, 'HashBalancing', 'haproxy-ingress’s, in its own words')
})

t.test('a Backend resource that the Service, an Ingress or the controller names', async (t) => {
  const resources: Record<string, Reason> = { 'shop/sticky': 'StaticCookie', 'other/hashed': 'HashBalancing' }
  const backendResource = (namespace: string, name: string) => {
    const reason = resources[`${namespace}/${name}`]
    return { refusal: reason && { reason, message: 'because' } }
  }
  const reasonOf = (changes: Partial<Input>, own: Record<string, string> = {}) =>
    refusalOfSettings({ ...given(own), backendResource, ...changes }, haproxytechCustomAnnotation)?.reason
  const key = 'haproxy.org/cr-backend'
  t.equal(reasonOf({}, { [key]: 'sticky' }), 'StaticCookie', 'in its own namespace')
  t.equal(reasonOf({}, { [key]: 'other/hashed' }), 'HashBalancing')
  const allowed = { [key]: 'other/hashed', 'zonefirst.io/allow-hash-balancing': 'true' }
  t.equal(reasonOf({}, allowed), undefined, 'by consent')
  t.equal(reasonOf({ controllerSettings: [{ 'cr-backend': 'shop/sticky' }] }), 'StaticCookie')
  t.equal(reasonOf({}, { [key]: 'shop/harmless' }), undefined)
  const nothing = () => undefined
  t.equal(reasonOf({ backendResource: nothing }, { [key]: 'sticky' }), undefined, 'one that is not there')
  t.equal(reasonOf({}), undefined)
})

t.test('haproxy-ingress’s words', async (t) => {
  const key = (name: string) => `haproxy-ingress.github.io/${name}`
  const mine = 'http-response set-header x-mine yes'
  const ours = haproxyIngressSnippet.write({
    namespace: 'shop',
    prefix: 'web-in',
    slots: 8,
    family: 'ipv4',
    ports: { b: 8080 },
  })
  interface Row {
    own?: Record<string, string>
    onIngress?: Record<string, string>
    config?: Record<string, string>
    want: unknown
  }
  const rows: Row[] = [
    { own: { [key('affinity')]: 'cookie' }, want: undefined },
    {
      own: { [key('affinity')]: 'cookie', [key('session-cookie-dynamic')]: 'false' },
      want: { reason: 'StaticCookie' },
    },
    { own: { [key('session-cookie-dynamic')]: 'false' }, want: undefined },
    { own: { [key('balance-algorithm')]: 'source' }, want: { reason: 'HashBalancing' } },
    { own: { 'haproxy.org/load-balance': 'source' }, want: undefined },
    // what stands on each of its server lines
    { own: { [key('backend-protocol')]: 'h1-ssl' }, want: { reason: 'ServerOptions' } },
    { own: { [key('backend-protocol')]: 'HTTP' }, want: undefined },
    {
      own: { [key('secure-backends')]: 'true' },
      want: { reason: 'ServerOptions', message: /^secure-backends \(set on the Service\)/ },
    },
    { own: { [key('secure-backends')]: 'false' }, config: { 'secure-backends': 'true' }, want: undefined },
    { onIngress: { [key('proxy-protocol')]: 'v2' }, want: { message: /on an Ingress/ } },
    { own: { [key('proxy-protocol')]: 'no' }, want: undefined },
    { own: { [key('maxconn-server')]: '10' }, want: { reason: 'ServerOptions' } },
    { own: { [key('maxconn-server')]: '0' }, want: undefined },
    { config: { 'maxqueue-server': '10' }, want: { message: /in the controller’s ConfigMap/ } },
    { own: { [key('blue-green-deploy')]: 'v=blue=1,v=green=3' }, want: { reason: 'ServerOptions' } },
    { own: { [key('health-check-port')]: '9000' }, want: { reason: 'ServerOptions' } },
    { own: { [key('agent-check-port')]: '9000' }, want: { reason: 'ServerOptions' } },
    { own: { 'ingress.kubernetes.io/service-upstream': 'true' }, want: { reason: 'ServerOptions' } },
    { own: { [key('health-check-uri')]: '/ready', [key('initial-weight')]: '50' }, want: undefined },
    // servers that are added take nothing from default-server
    { own: { [key('dynamic-scaling')]: 'add' }, want: { reason: 'ServerOptions', message: /"slots"/ } },
    { config: { 'dynamic-scaling': 'Add' }, want: { reason: 'ServerOptions' } },
    { own: { [key('dynamic-scaling')]: 'slots' }, config: { 'dynamic-scaling': 'add' }, want: undefined },
    { own: { [key('dynamic-scaling')]: 'true' }, want: undefined },
    // of these the controller takes one
    { own: { [key('config-backend')]: ours }, want: undefined },
    {
      own: { [key('config-backend')]: ours },
      onIngress: { [key('config-backend')]: mine },
      want: { reason: 'SnippetTaken', message: /config-backend \(set on an Ingress\)/ },
    },
    { own: { 'ingress.kubernetes.io/config-backend': mine }, want: { reason: 'SnippetTaken' } },
    {
      onIngress: { [key('config-backend-late')]: mine },
      want: { reason: 'SnippetTaken', message: /config-backend-late .* move it to config-backend-early/ },
    },
    { config: { 'config-backend': mine }, want: { reason: 'SnippetTaken' } },
    // and this one stands beside
    { onIngress: { [key('config-backend-early')]: mine }, want: undefined },
    { onIngress: { [key('config-backend-early')]: 'stick on src' }, want: { reason: 'StickTable' } },
  ]
  for (const { own = {}, onIngress = {}, config = {}, want } of rows) {
    const refusal = refusalOfSettings(
      { ...given(own, onIngress), controllerSettings: [config] },
      haproxyIngressSnippet,
    )
    const name = JSON.stringify({ own, onIngress, config })
    if (want === undefined) t.equal(refusal, undefined, name)
    else t.match(refusal, want, name)
  }
})
