import tls from 'node:tls'
import t from 'tap'
import { build, listen, patch } from '../fixtures/review-server.ts'
import { bindingReview } from '../fixtures/reviews.ts'

const post = (payload: string, url = '/mutate') => ({
  method: 'POST' as const,
  url,
  payload,
  headers: { 'content-type': 'application/json' },
})

t.test('a review is answered and reported', async (t) => {
  const { app, reported } = build(t)
  const answer = await app.inject(post(JSON.stringify(bindingReview())))
  t.equal(answer.statusCode, 200)
  t.match(answer.json(), {
    kind: 'AdmissionReview',
    response: { uid: bindingReview().request.uid, allowed: true, patchType: 'JSONPatch' },
  })
  t.match(answer.headers, { 'content-type': /^application\/json/ })
  t.strictSame(reported, [{ reason: 'stamped', patch }])
})

t.test('bad input has a clear answer, and the next review is answered', async (t) => {
  const { app, reported } = build(t)
  const rows = [
    { name: 'no JSON', request: post('{"kind":'), status: 400, text: /^The body is not JSON: [^\n]+\n$/ },
    { name: 'empty', request: post(''), status: 400, text: /^The body is not JSON: / },
    { name: 'no review', request: post('{}'), status: 400, text: /^The body is not an AdmissionReview/ },
    {
      name: 'too large',
      request: post(JSON.stringify({ ...bindingReview(), padding: 'x'.repeat(2_000) })),
      status: 413,
      text: 'The body is larger than 2000 bytes, more than any review needs.\n',
    },
    {
      name: 'no JSON by its content type',
      request: { ...post('a=b'), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      status: 400,
      text: /^The body is not JSON: /,
    },
  ]
  for (const { name, request, status, text } of rows) {
    reported.length = 0
    const answer = await app.inject(request)
    t.equal(answer.statusCode, status, name)
    t.match(answer.body, text, name)
    t.match(reported, [{ reason: 'bad-request' }], name)
    t.equal((await app.inject(post(JSON.stringify(bindingReview())))).statusCode, 200, `after: ${name}`)
  }
})

t.test('elsewhere than /mutate', async (t) => {
  const { app } = build(t)
  const answer = await app.inject(post('{}', '/'))
  t.equal(answer.statusCode, 404)
  t.equal(answer.body, 'Reviews are posted to /mutate.\n')
})

t.test(
  'a review too many is refused with a sentence, which lets the pod pass, and nothing is sent again',
  async (t) => {
    const { app, reported } = build(t, { admit: async () => ({ reason: 'shed' }) })
    const answer = await app.inject(post(JSON.stringify(bindingReview())))
    t.equal(answer.statusCode, 429)
    t.equal(answer.body, 'Too many reviews wait for the API server: this one goes without a stamp.\n')
    t.equal(answer.headers['retry-after'], undefined, 'with it the API server would wait and try again')
    t.strictSame(reported, [{ reason: 'shed' }])
  },
)

t.test('over TLS: a connection is kept, until draining', async (t) => {
  let draining = false
  const { app } = build(t, { isDraining: () => draining })
  const { port, ca, send } = await listen(t, app)
  t.match(await send(), { status: 200, connection: 'keep-alive', keepAlive: 'timeout=120' })
  draining = true
  t.match(await send(), { status: 200, connection: 'close', keepAlive: undefined })

  const old = tls.connect({
    host: 'localhost',
    port,
    ca,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
  })
  await new Promise<void>((resolve) =>
    old.once('error', () => resolve()).once('secureConnect', () => t.fail('TLS 1.1 taken')),
  )
})

t.test('who sends far too much still gets the answer', async (t) => {
  const { app } = build(t)
  const { send } = await listen(t, app)
  for (let at = 0; at < 10; at += 1) {
    t.match(await send('x'.repeat(8_000_000)), { status: 413, text: /^The body is larger than 2000 bytes/ })
  }
  t.match(await send(), { status: 200 })
})
