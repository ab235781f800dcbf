// Every refusal as people read it. The row of a reason gives a Service that is refused for it; that none is missing, the
// type checker sees.
import t from 'tap'
import type { Service } from '../../../annotator/objects/objects.ts'
import { desired } from '../../../annotator/plan/desired.ts'
import type { Dialect } from '../../../annotator/plan/dialects/dialect.ts'
import { haproxyIngressSnippet } from '../../../annotator/plan/dialects/haproxy-ingress-snippet.ts'
import { haproxytechCustomAnnotation } from '../../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { haproxytechSnippet } from '../../../annotator/plan/dialects/haproxytech-snippet.ts'
import type { Input } from '../../../annotator/plan/input.ts'
import { handlingOf, type Reason } from '../../../annotator/plan/reasons.ts'
import { hashedPrefix, zonalName } from '../../../annotator/plan/zonal-name.ts'
import { endpoints, ingress, input, pod, service } from '../../fixtures/cluster-objects.ts'

/** Told by who writes, see reconcile.test.ts. */
type ByWriting = 'AnnotationRemoved' | 'AnnotationTaken' | 'WriteRejected'

interface Row {
  given: Partial<Input>
  dialect?: Dialect
  says: RegExp
}

const labelled = (value: string) => ({ ...service().metadata, labels: { 'zonefirst.io/enabled': value } })
const annotated = (annotations: Record<string, string>): Partial<Input> => ({
  primary: service({ metadata: { ...service().metadata, annotations } }),
})
const withSpec = (spec: Partial<NonNullable<Service['spec']>>) => ({ primary: service({ spec }) })
const snippet = (lines: string): Partial<Input> => ({
  ingresses: [ingress({ metadata: { annotations: { 'haproxy.org/backend-config-snippet': lines } } })],
})
const names = ['web-1', 'web-2', 'web-3', 'web-4', 'web-5']
const foreign = ['web-in-a', zonalName(hashedPrefix('shop', 'web'), 'b')].map(
  (name) => [name, service({ metadata: { name } })] as const,
)

const rows: Record<Exclude<Reason, ByWriting>, Row> = {
  ExternalName: {
    given: {
      primary: service({
        metadata: labelled('true'),
        spec: { type: 'ExternalName', externalName: 'x.test' },
      }),
    },
    says: /has no pods to route to: take the opt-in off$/,
  },
  HashBalancing: {
    given: annotated({ 'haproxy.org/load-balance': 'uri' }),
    says: /balances by a hash \(uri, set on the Service\).*: set the annotation .* to "true" if that may be$/,
  },
  KeptOut: { given: { primary: service({ metadata: labelled('false') }) }, says: /its label .* is "false"$/ },
  NameTaken: {
    given: { neighbours: new Map(foreign) },
    says: /: rename web-in-a and zf-[0-9a-f]{10}-b$/,
  },
  NoIngress: {
    given: { primary: service({ metadata: labelled('true') }), hasIngress: false },
    says: /: take its label zonefirst\.io\/enabled off, or use a snippet dialect$/,
  },
  NoReadyPods: { given: { endpoints: [endpoints([])] }, says: /^none of its pods is ready$/ },
  NoSelector: {
    given: { primary: service({ metadata: labelled('true'), spec: { selector: {} } }) },
    says: /: give it a selector$/,
  },
  NoZones: { given: { zones: [] }, says: /\(topology\.kubernetes\.io\/zone\): label the Nodes$/ },
  NotOptedIn: { given: { pods: [] }, says: /^none of its pods has opted in$/ },
  NotRouted: { given: { routes: [] }, says: /^no Ingress of a class of this controller routes to it$/ },
  OwnLabelInSelector: {
    given: withSpec({ selector: { 'zonefirst.io/serves': 'a' } }),
    says: /: select by another label$/,
  },
  PodsNotStamped: {
    given: { pods: input().pods.slice(0, 3) },
    says: /^3 of its 4 ready pods are opted in and stamped.*: label all of them zonefirst\.io\/enabled=true/,
  },
  PublishesNotReadyAddresses: {
    given: withSpec({ publishNotReadyAddresses: true }),
    says: /: turn that off$/,
  },
  SeveralPorts: {
    given: {
      ...withSpec({
        ports: [
          { name: 'http', port: 80, targetPort: 8080 },
          { name: 'admin', port: 81, targetPort: 9090 },
        ],
      }),
      routes: ['http', 'admin'].map((name) => ({ service: 'web', port: { name }, standalone: undefined })),
      endpoints: [endpoints(names.slice(0, 4), { ports: { http: 8080, admin: 9090 } })],
    },
    dialect: haproxytechSnippet,
    says: /several ports of this Service.*: use one Service a port/,
  },
  SeveralTargetPorts: {
    given: {
      endpoints: [
        endpoints(['web-1', 'web-2']),
        endpoints(['web-3', 'web-4'], { name: 'web-def', ports: { http: 8081 } }),
      ],
    },
    says: /8080 on some pods and 8081 on others.*: use one number$/,
  },
  SharedPods: {
    given: {
      pods: names.map((name, index) => pod(name, index === 4 ? 'b' : 'a')),
      endpoints: [endpoints(names)],
      shares: new Map([
        ['a', 0.5],
        ['b', 0.5],
      ]),
      pinnedPods: new Set(names),
    },
    says: /shares pods with another Service.*: spread the pods more evenly, or let both/,
  },
  ServerOptions: {
    given: annotated({ 'haproxy-ingress.github.io/backend-protocol': 'h1-ssl' }),
    dialect: haproxyIngressSnippet,
    says: /^backend-protocol \(set on the Service\).*: take it off, or keep this Service out$/,
  },
  SnippetTaken: {
    given: annotated({ 'haproxy.org/backend-config-snippet': 'http-response set-header x-mine yes' }),
    dialect: haproxytechSnippet,
    says: /holds somebody else's text: move it to the Ingress/,
  },
  SnippetUndoes: {
    given: snippet('server mine 10.0.0.1:80'),
    says: /: take it out \(`server mine 10\.0\.0\.1:80`, on an Ingress\)$/,
  },
  StaticCookie: {
    given: annotated({ 'haproxy.org/cookie-persistence-no-dynamic': 'mycookie' }),
    says: /: use a dynamic cookie$/,
  },
  StickTable: { given: snippet('stick on src'), says: /: take it out \(`stick on src`, on an Ingress\)$/ },
  UnknownTargetPort: {
    given: {
      ...withSpec({ ports: [{ name: 'http', port: 80, targetPort: 'http' as never }] }),
      endpoints: [endpoints(names.slice(0, 4), { ports: {} })],
    },
    says: /: give the containers a port of that name$/,
  },
}

for (const [reason, { given, dialect = haproxytechCustomAnnotation, says }] of Object.entries(rows)) {
  t.test(reason, async (t) => {
    const want = desired(input(given), dialect, { bound: 1.25, now: 0, memory: {} })
    if (want.routed) throw new Error('it is routed')
    const { message } = want.refusal
    t.equal(want.refusal.reason, reason)
    t.match(message, says)
    t.match(message, /^[^\n]+[^.\s]$/, 'one line, which goes on after "left alone: "')
    // the API takes 1,024 bytes
    t.ok(Buffer.byteLength(message) < 900, 'an Event can hold it')
    // where people asked for it, the sentence also says what to do
    if (!handlingOf(reason as Reason).silent) t.match(message, /: \S/, 'what to do')
  })
}
