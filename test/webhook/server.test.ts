import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import t, { type Test } from 'tap'
import type { Verdict } from '../../webhook/admit.ts'
import { buildServer, type ServerOptions } from '../../webhook/server.ts'
import { bindingReview } from '../fixtures/reviews.ts'
import { makeCertificates } from '../fixtures/tls.ts'

const patch = [{ op: 'add' as const, path: '/metadata/labels', value: {} }]

function build(t: Test, options: Partial<ServerOptions> = {}) {
  const reported: Verdict[] = []
  const app = buildServer({
    admit: async () => ({ reason: 'stamped', patch }),
    report: (verdict) => reported.push(verdict),
    bodyLimit: 2_000,
    isDraining: () => false,
    ...options,
  })
  t.teardown(() => app.close())
  return { app, reported }
}
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

async function listen(t: Test, app: ReturnType<typeof buildServer>) {
  const { authority, serving } = await makeCertificates()
  app.server.setSecureContext({ ...serving, minVersion: 'TLSv1.2' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new https.Agent({ keepAlive: true, ca: authority.cert })
  t.teardown(() => agent.destroy())

  async function send(body = JSON.stringify(bindingReview())) {
    const request = https.request({ host: 'localhost', port, path: '/mutate', method: 'POST', agent })
    request.end(body)
    const [response] = await once(request, 'response')
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    const { connection, 'keep-alive': keepAlive } = response.headers
    return { status: response.statusCode, connection, keepAlive, text }
  }
  return { port, ca: authority.cert, send }
}

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
