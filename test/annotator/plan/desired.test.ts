import t from 'tap'
import { desired as decide } from '../../../annotator/plan/desired.ts'
import type { Dialect } from '../../../annotator/plan/dialects/dialect.ts'
import { haproxytechCustomAnnotation } from '../../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { haproxytechSnippet } from '../../../annotator/plan/dialects/haproxytech-snippet.ts'
import type { Input } from '../../../annotator/plan/input.ts'
import { endpoints, input, pod, service } from '../../fixtures/cluster-objects.ts'

const annotated = (annotations: Record<string, string>) =>
  service({ metadata: { ...service().metadata, annotations } })

const desired = (given: Input, dialect: Dialect) =>
  decide(given, dialect, { bound: 1.25, now: 0, memory: {} })

t.test('a Service that is routed by zone', async (t) => {
  const want = desired(input(), haproxytechCustomAnnotation)
  t.match(want, {
    routed: true,
    annotation: '{"name":"web-in","slots":8,"ports":{"shop_svc_web_http":8080}}',
  })
  const names = want.routed ? want.zonalServices.map(({ metadata }) => metadata.name) : []
  t.strictSame(names, ['web-in-a', 'web-in-b'], 'one for every zone that has nodes')
})

t.test('what stands today is kept', async (t) => {
  const value = '{"name":"web-in","slots":16,"ports":{"shop_svc_web_http":8080}}'
  const primary = annotated({ [haproxytechCustomAnnotation.annotation]: value })
  t.match(
    desired(input({ primary }), haproxytechCustomAnnotation),
    { annotation: value },
    'no reload for fewer slots',
  )
})

t.test('the first choice of slots counts pods that are not ready yet, later ones do not', async (t) => {
  const slices = [endpoints(['web-1', 'web-2', 'web-3', 'web-4'], { unreadyPods: ['web-5', 'web-6'] })]
  t.match(desired(input({ endpoints: slices }), haproxytechCustomAnnotation), { annotation: /"slots":16/ })
  const value = '{"name":"web-in","slots":8,"ports":{"shop_svc_web_http":8080}}'
  const primary = annotated({ [haproxytechCustomAnnotation.annotation]: value })
  t.match(
    desired(input({ primary, endpoints: slices }), haproxytechCustomAnnotation),
    { annotation: value },
    'a rollout that doubles the pods for a while is no reason to reload',
  )
})

t.test('refusals on the way', async (t) => {
  t.match(desired(input({ routes: [] }), haproxytechSnippet), { refusal: { reason: 'NotRouted' } })
  const routes = [{ service: 'web', port: { name: 'smtp' }, standalone: undefined }]
  t.match(desired(input({ routes }), haproxytechSnippet), { refusal: { reason: 'NotRouted' } })
  const primary = annotated({ [haproxytechSnippet.annotation]: 'balance leastconn' })
  t.match(desired(input({ primary }), haproxytechSnippet), { refusal: { reason: 'SnippetTaken' } })
  t.match(
    desired(input({ primary }), haproxytechCustomAnnotation),
    { routed: true },
    'beside ours it may stand',
  )
  const neighbours = new Map(
    ['web-in-a', 'zf-4ff8c1a9c5-a'].map((name) => [name, service({ metadata: { name, namespace: 'shop' } })]),
  )
  t.match(desired(input({ neighbours }), haproxytechSnippet), { routed: true }, 'a hashed name is left')
})

t.test('TCP resources', async (t) => {
  const labelled = service({
    metadata: { ...service().metadata, labels: { 'zonefirst.io/enabled': 'true' } },
  })
  const without = input({ primary: labelled, hasIngress: false })
  t.match(
    desired(without, haproxytechCustomAnnotation),
    {
      refusal: { reason: 'NoIngress', message: /take its label zonefirst.io\/enabled off, or use a snippet/ },
    },
    'the custom annotation does nothing for them',
  )
  t.match(desired(without, haproxytechSnippet), { routed: true }, 'a snippet reaches them')

  const ports = [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'sql', port: 5432, targetPort: 5432 },
  ]
  const primary = service({ spec: { ports } })
  const tcpRoute = (number: number) => ({ service: 'web', port: { number }, standalone: undefined })
  const slices = [endpoints(['web-1', 'web-2', 'web-3', 'web-4'], { ports: { http: 8080, sql: 5432 } })]
  const beside = (number: number) => input({ primary, endpoints: slices, tcpRoutes: [tcpRoute(number)] })
  t.match(
    desired(beside(5432), haproxytechSnippet),
    { refusal: { reason: 'SeveralPorts' } },
    'the one snippet would send its connections to the port of the Ingress',
  )
  t.match(desired(beside(80), haproxytechSnippet), { routed: true }, 'the same port')
  const want = desired(beside(5432), haproxytechCustomAnnotation)
  t.match(want, { routed: true, servers: { ports: { shop_svc_web_http: 8080 } } })
  t.equal(want.routed && Object.keys(want.servers.ports).length, 1, 'left as without zonefirst')
})

t.test('the load guard’s part', async (t) => {
  const names = ['web-1', 'web-2', 'web-3', 'web-4', 'web-5']
  const pods = names.map((name, index) => pod(name, index === 4 ? 'b' : 'a'))
  const shares = new Map([
    ['a', 0.5],
    ['b', 0.5],
  ])
  const uneven = { pods, endpoints: [endpoints(names)], shares }
  const want = desired(input(uneven), haproxytechCustomAnnotation)
  const lent = want.routed
    ? [...want.serves].filter(([name, serves]) => name !== 'web-5' && serves === 'b')
    : []
  t.equal(lent.length, 1, 'b needs two: before anything is written there is nothing to wait for')
  const value = '{"name":"web-in","slots":8,"ports":{"shop_svc_web_http":8080}}'
  const primary = annotated({ [haproxytechCustomAnnotation.annotation]: value })
  t.match(desired(input({ ...uneven, primary }), haproxytechCustomAnnotation), {
    serves: new Map(pods.map(({ name, zoneKey }) => [name, zoneKey])),
    guardMemory: { calledSince: 0 },
    lookAgainIn: 10_000,
  })
  const pinnedPods = new Set(names)
  t.match(desired(input({ ...uneven, pinnedPods }), haproxytechCustomAnnotation), {
    refusal: { reason: 'SharedPods' },
  })
})
