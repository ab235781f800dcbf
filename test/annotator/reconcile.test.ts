// One key at a time, with the API server as a function: what is written, in which order, what is told of it, and what a
// refusal of the API server does. Whole courses on a real API server are in test/api.
import t from 'tap'
import type { Event } from '../../annotator/events/events.ts'
import type { AdviceReason } from '../../annotator/plan/advice.ts'
import { haproxytechCustomAnnotation as dialect } from '../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { haproxytechSnippet } from '../../annotator/plan/dialects/haproxytech-snippet.ts'
import { Reconciler } from '../../annotator/reconcile.ts'
import { ApiError, type ApiRequest, type Kube, type KubeObject } from '../../lib/kube.ts'
import { endpoints, ingress, pod, service } from '../fixtures/cluster-objects.ts'
import { type Contents, clusterView } from '../fixtures/cluster-view.ts'

const key = 'shop/web'
const pods = ['web-1', 'web-2', 'web-3', 'web-4'].map((name, index) => pod(name, index < 2 ? 'a' : 'b'))
const value = '{"name":"web-in","slots":8,"ports":{"shop_svc_web_http":8080}}'
const annotated = (annotation = value, version = '8') =>
  service({
    metadata: {
      ...service().metadata,
      resourceVersion: version,
      annotations: { [dialect.annotation]: annotation },
    },
  })

function setUp(contents: Contents = {}) {
  const view = clusterView({
    services: [service()],
    ingresses: [ingress()],
    endpoints: [endpoints(pods.map(({ name }) => name))],
    pods,
    ...contents,
  })
  const requests: ApiRequest[] = []
  const events: Event[] = []
  const outcomes: (string | undefined)[] = []
  const advice: (readonly AdviceReason[])[] = []
  const state = {
    now: 1_000_000,
    /** how requests are answered, if not as usual */
    refuse: (_request: ApiRequest): ApiError | undefined => undefined,
  }
  const kube = {
    async request(request: ApiRequest) {
      const error = state.refuse(request)
      if (error) throw error
      requests.push(request)
      return { metadata: { resourceVersion: '8' } } as KubeObject
    },
  } as unknown as Kube
  const reconciler = new Reconciler({
    kube,
    caches: view,
    dialect,
    dialects: [dialect, haproxytechSnippet],
    classRule: { controller: dialect.controller, names: ['haproxy'], withoutClass: false },
    graceTime: 100_000,
    releaseTime: 60_000,
    bound: 1.25,
    answerSize: 8192,
    now: () => state.now,
    tell: (event) => void events.push(event),
    onOutcome: (_key, outcome) => void outcomes.push(outcome),
    onAdvice: (_key, reasons) => void advice.push(reasons),
  })
  return {
    view,
    state,
    reconciler,
    advice,
    /** The last look's outcome. */
    outcome: () => outcomes.at(-1),
    /** What was written since the last call. */
    wrote: () =>
      requests.splice(0).map(({ method, path }) => `${method} ${path.replace(/^.*\/namespaces\//, '')}`),
    /** What was told since the last call. */
    told: () => events.splice(0).map(({ type, reason }) => `${type} ${reason}`),
    messages: () => events.splice(0).map(({ message }) => message),
  }
}

const rejected = (status: number, body: object) => (request: ApiRequest) =>
  new ApiError(request, status, JSON.stringify(body))
const taken = rejected(409, {
  message: 'Apply failed with 1 conflict',
  details: { causes: [{ reason: 'FieldManagerConflict' }] },
})

t.test('from nothing to routed', async (t) => {
  const { reconciler, state, wrote, told, outcome, view } = setUp()
  t.equal(await reconciler.reconcile(key), 3_000, 'it has to be fit for a while')
  t.strictSame(wrote(), ['PATCH shop/services/web-in-a', 'PATCH shop/services/web-in-b'])
  t.strictSame([...reconciler.routed], [])
  state.now += 3_000
  await reconciler.reconcile(key)
  t.ok(wrote().includes('PATCH shop/services/web'))
  t.strictSame(told(), ['Normal ZoneFirst'])
  t.equal(outcome(), 'Routed')
  view.put(annotated())
  await reconciler.reconcile(key)
  t.strictSame(told(), [], 'told once')
  t.match(
    [...reconciler.routed],
    [{ primary: { metadata: { name: 'web' } }, backends: ['shop_svc_web_http'] }],
  )
})

t.test('a Service that is gone is forgotten', async (t) => {
  const { reconciler, view, outcome, wrote } = setUp({ services: [annotated()] })
  await reconciler.reconcile(key)
  wrote()
  view.remove(annotated())
  t.equal(await reconciler.reconcile(key), undefined)
  t.strictSame([wrote(), outcome(), [...reconciler.routed]], [[], undefined, []])
})

t.test('a Service that takes the place of one of its name begins anew', async (t) => {
  const { reconciler, state, view, wrote, told } = setUp()
  await reconciler.reconcile(key)
  state.now += 3_000
  // nobody looked between its end and its beginning, three times
  for (const round of [1, 2, 3, 4]) {
    await reconciler.reconcile(key)
    state.now += 3_000
    await reconciler.reconcile(key)
    t.ok(wrote().includes('PATCH shop/services/web'), `${round}: nobody removed anything`)
    t.strictSame(told(), ['Normal ZoneFirst'], `${round}: it is told of each`)
    view.put(
      service({ metadata: { ...service().metadata, uid: `uid-${round}`, resourceVersion: `${90 + round}` } }),
    )
  }
})

t.test('what another dialect wrote goes', async (t) => {
  const mark = '# written by zonefirst\n'
  const annotations = { [dialect.annotation]: value, [haproxytechSnippet.annotation]: mark }
  const primary = service({ metadata: { ...service().metadata, annotations } })
  const { reconciler, wrote } = setUp({ services: [primary] })
  t.equal(reconciler.isRouted(primary), true)
  await reconciler.reconcile(key)
  t.equal(wrote().filter((write) => write === 'PATCH shop/services/web').length, 1, 'ours stands as it is')
})

t.test('a refusal: the annotation goes, people are told why, and told once', async (t) => {
  const { reconciler, view, state, wrote, told, outcome } = setUp({ services: [annotated()] })
  const primary = annotated()
  const early = { ...primary, spec: { ...primary.spec, publishNotReadyAddresses: true } }
  view.put(early)
  t.equal(await reconciler.reconcile(key), 60_000, 'the zonal Services go later')
  t.strictSame(wrote(), ['PATCH shop/services/web'])
  t.strictSame(told(), ['Normal ZoneFirstOff', 'Warning PublishesNotReadyAddresses'])
  t.equal(outcome(), 'PublishesNotReadyAddresses')
  state.now += 1
  await reconciler.reconcile(key)
  t.strictSame(
    told().filter((each) => each.startsWith('Warning')),
    [],
  )
  t.strictSame([...reconciler.routed], [])
})

t.test('somebody else’s value under our annotation is left, and told', async (t) => {
  const { reconciler, state, messages, outcome, wrote } = setUp()
  await reconciler.reconcile(key)
  wrote()
  state.now += 3_000
  state.refuse = (request) => (request.path.endsWith('/web') ? taken(request) : undefined)
  await t.rejects(reconciler.reconcile(key), { message: /409/ })
  t.equal(outcome(), 'AnnotationTaken')
  t.match(messages(), [/^left alone: somebody else has set the annotation .*: remove it, zonefirst never/])
  t.notOk(wrote().includes('PATCH shop/services/web'))
})

t.test('what the API server rejects is told with its own words; a namespace that ends is not', async (t) => {
  const forbidden = rejected(403, { message: 'exceeded quota: services' })
  const ending = rejected(403, {
    message: 'unable to create new content in namespace shop because it is being terminated',
    details: { causes: [{ reason: 'NamespaceTerminating' }] },
  })
  const unavailable = rejected(503, { message: 'etcd is away' })
  const rows = [
    {
      name: 'a quota',
      refuse: forbidden,
      outcome: 'WriteRejected',
      told: [/rejects what it needs: .*exceeded quota/],
    },
    { name: 'a namespace that ends', refuse: ending, outcome: 'Routed', told: [] },
    { name: 'a fault of the moment', refuse: unavailable, outcome: 'Routed', told: [] },
  ]
  for (const { name, refuse, outcome: wanted, told: messagesWanted } of rows) {
    const { reconciler, state, messages, outcome } = setUp()
    state.refuse = refuse
    for (let look = 0; look < 2; look += 1)
      await t.rejects(reconciler.reconcile(key), { name: 'ApiError' }, name)
    const said = messages()
    t.equal(said.length, messagesWanted.length, `${name}: told once, if at all`)
    t.match(said, messagesWanted, name)
    t.equal(outcome(), wanted, name)
  }
})

t.test('an annotation that somebody removes again and again is written ever more rarely', async (t) => {
  const { reconciler, state, view, told, wrote, outcome } = setUp()
  await reconciler.reconcile(key)
  state.now += 3_000
  let version = 8
  const remove = async () => {
    version += 1
    const metadata = { ...service().metadata, resourceVersion: String(version) }
    view.put(service({ metadata }))
    // by then the annotation is overdue as well
    await reconciler.reconcile(key)
    state.now += 3_000
    return reconciler.reconcile(key)
  }
  await reconciler.reconcile(key)
  told()
  wrote()
  await remove()
  await remove()
  t.equal(wrote().filter((each) => each === 'PATCH shop/services/web').length, 2, 'two times at once')
  const wait = await remove()
  t.ok((wait ?? 0) > 0 && (wait ?? 0) <= 10_000, `then after ${wait} ms`)
  t.ok(told().includes('Warning AnnotationRemoved'))
  t.equal(outcome(), 'AnnotationRemoved')
  t.notOk(wrote().includes('PATCH shop/services/web'))
})

t.test('advice is given of what is routed', async (t) => {
  const many = Array.from({ length: 513 }, (_, index) => pod(`web-${index}`, 'a'))
  const slices = [endpoints(many.map(({ name }) => name))]
  const { reconciler, told, advice } = setUp({ services: [annotated()], pods: many, endpoints: slices })
  await reconciler.reconcile(key)
  await reconciler.reconcile(key)
  t.strictSame(
    told().filter((each) => each.startsWith('Warning')),
    ['Warning AnswerTooLarge'],
  )
  t.strictSame(advice, [['AnswerTooLarge'], ['AnswerTooLarge']])
})
