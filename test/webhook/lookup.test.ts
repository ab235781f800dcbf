import t, { type Test } from 'tap'
import { buildInformers, buildLookup, Shed } from '../../webhook/lookup.ts'
import { type Handler, sendJson, sendStatus, sendWatch, startApiServer } from '../fixtures/api-server.ts'

const optedIn = { 'zonefirst.io/enabled': 'true' }
const meta = (name: string, uid: string, labels = {}) => ({
  metadata: { name, namespace: 'shop', uid, resourceVersion: '7', labels },
})
const node = (name: string, labels = {}) => ({ metadata: { name, uid: name, resourceVersion: '7', labels } })

const pending = [meta('cached', 'u1', optedIn), meta('reused', 'old', optedIn), meta('plain', 'u3')]
const nodes = [node('a', { 'topology.kubernetes.io/zone': 'eu-1a' }), node('bare')]
const direct: Record<string, object> = {
  '/api/v1/namespaces/shop/pods/uncached': meta('uncached', 'u9', optedIn),
  '/api/v1/namespaces/shop/pods/reused': meta('reused', 'new'),
  '/api/v1/nodes/late': node('late', { 'failure-domain.beta.kubernetes.io/zone': 'eu-1c' }),
  '/api/v1/nodes/late-bare': node('late-bare'),
}

/** Answers lists and single objects as the API server does, and notes what was asked for. */
async function startLookup(t: Test, intercept?: Handler) {
  const asked: string[] = []
  const server = await startApiServer((request, response, url) => {
    asked.push(url.pathname)
    t.match(request.headers.accept, /as=PartialObjectMetadata;/, 'metadata alone is asked for')
    const lists: Record<string, object[]> = { '/api/v1/pods': pending, '/api/v1/nodes': nodes }
    const items = lists[url.pathname]
    if (items) {
      if (url.pathname === '/api/v1/pods') t.equal(url.searchParams.get('fieldSelector'), 'spec.nodeName=')
      return sendWatch(response, url, items)
    }
    if (intercept) return intercept(request, response, url)
    const object = direct[url.pathname]
    return object ? sendJson(response, 200, object) : sendStatus(response, 404, 'NotFound')
  })
  const informers = buildInformers(server.kube, (error) => t.fail(error.message))
  informers.pods.start()
  informers.nodes.start()
  await Promise.all([informers.pods.synced(), informers.nodes.synced()])
  t.teardown(() => {
    informers.pods.stop()
    informers.nodes.stop()
    server.close()
  })
  asked.length = 0
  return { lookup: buildLookup(server.kube, informers, 2), asked }
}

const deadline = () => AbortSignal.timeout(5_000)

t.test('pods', async (t) => {
  const { lookup, asked } = await startLookup(t)
  const rows = [
    { name: 'cached', uid: 'u1', want: 'opted-in', gets: 0 },
    { name: 'cached', uid: '', want: 'opted-in', gets: 0 },
    { name: 'plain', uid: 'u3', want: 'not-opted-in', gets: 0 },
    { name: 'uncached', uid: 'u9', want: 'opted-in', gets: 1 },
    { name: 'reused', uid: 'new', want: 'not-opted-in', gets: 1 },
    { name: 'cached', uid: 'yet another', want: 'pod-gone', gets: 1 },
    { name: 'never was', uid: 'u0', want: 'pod-gone', gets: 1 },
  ]
  for (const { name, uid, want, gets } of rows) {
    asked.length = 0
    t.equal(await lookup.pod({ namespace: 'shop', name, uid }, deadline), want, `${name} ${uid}`)
    t.equal(asked.length, gets, `${name} ${uid}: GETs`)
  }
})

t.test('zones', async (t) => {
  const { lookup, asked } = await startLookup(t)
  const rows = [
    { name: 'a', want: { zone: 'eu-1a' }, gets: 0 },
    { name: 'bare', want: 'node-without-zone', gets: 0 },
    { name: 'late', want: { zone: 'eu-1c' }, gets: 1 },
    { name: 'late-bare', want: 'node-without-zone', gets: 1 },
    { name: 'gone', want: 'node-gone', gets: 1 },
  ]
  for (const { name, want, gets } of rows) {
    asked.length = 0
    t.strictSame(await lookup.zone(name, deadline), want, name)
    t.equal(asked.length, gets, `${name}: GETs`)
  }
})

t.test('an API server that refuses is an error, not an answer', async (t) => {
  const { lookup } = await startLookup(t, (_request, response) => sendStatus(response, 403, 'Forbidden'))
  await t.rejects(
    lookup.pod({ namespace: 'shop', name: 'uncached', uid: 'u9' }, deadline),
    /403 refused: Forbidden/,
  )
  await t.rejects(lookup.zone('late', deadline), /403 refused: Forbidden/)
})

t.test('an API server that hangs, before or within its answer, is left at the deadline', async (t) => {
  for (const stall of [
    () => {},
    ((_request, response) => void response.writeHead(200).write('{')) as Handler,
  ]) {
    const { lookup } = await startLookup(t, stall)
    const signal = AbortSignal.timeout(30)
    await t.rejects(lookup.zone('late', () => signal))
    t.ok(signal.aborted)
  }
})

t.test(
  'beyond the limit of open questions a further one is shed at once; the caches still answer',
  async (t) => {
    const held: (() => void)[] = []
    const { lookup, asked } = await startLookup(t, (_request, response, { pathname }) => {
      held.push(() => sendJson(response, 200, direct[pathname]))
    })
    const late = () => lookup.zone('late', deadline)
    const open = [late(), late()]
    await t.rejects(late(), Shed)
    t.strictSame(await lookup.zone('a', deadline), { zone: 'eu-1a' })
    while (held.length < 2) await new Promise(setImmediate)
    for (const answer of held.splice(0)) answer()
    t.strictSame(await Promise.all(open), [{ zone: 'eu-1c' }, { zone: 'eu-1c' }])

    const next = late()
    while (held.length < 1) await new Promise(setImmediate)
    held[0]?.()
    t.strictSame(await next, { zone: 'eu-1c' }, 'what is answered makes room')
    t.equal(asked.length, 3, 'what was shed was not asked')
  },
)
