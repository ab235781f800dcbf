// What counts as an answer, and that a connection which died while nobody used it is no failure.
import { Agent, type IncomingMessage, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { servePages } from '../fixtures/pages.ts'
import { sendRequest } from './request.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void

async function serve(t: Test, answer: Answer) {
  let count = 0
  const port = await servePages(t, (request, response) => answer(request, response, ++count))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const address = `127.0.0.1:${port}`
  return (timeout = 10_000) => sendRequest({ agent, address, host: 'web.test', path: '/slow', timeout })
}
const asPod = (response: ServerResponse) => response.setHeader('x-pod', 'web-1')

t.test('an answer of a pod', async (t) => {
  const send = await serve(t, ({ headers, url }, response) => asPod(response).end(`${headers.host}${url}`))
  t.match(await send(), { failure: undefined, pod: 'web-1', bodyBytes: 'web.test/slow'.length })
})

t.test('what is none', async (t) => {
  const rows: { failure: string; answer: Answer; timeout?: number }[] = [
    { failure: 'status 503', answer: (_, response) => asPod(response).writeHead(503).end() },
    { failure: 'status 200', answer: (_, response) => response.end('of no pod') },
    { failure: 'timeout', answer: () => {}, timeout: 20 },
    { failure: 'ECONNRESET', answer: ({ socket }) => socket.resetAndDestroy() },
    {
      failure: 'cut off',
      answer: ({ socket }, response) => {
        asPod(response).write('half', () => socket.destroy())
      },
    },
  ]
  for (const { failure, answer, timeout } of rows) {
    const send = await serve(t, answer)
    t.match(await send(timeout), { failure, pod: undefined, bodyBytes: 0 }, failure)
  }
})

t.test('a used connection that is reset costs nothing, a second time it does', async (t) => {
  const once = await serve(t, ({ socket }, response, count) => {
    if (count === 2) socket.resetAndDestroy()
    else asPod(response).end()
  })
  t.strictSame([(await once()).failure, (await once()).failure], [undefined, undefined])

  const always = await serve(t, ({ socket }, response, count) => {
    if (count > 1) socket.resetAndDestroy()
    else asPod(response).end()
  })
  t.strictSame([(await always()).failure, (await always()).failure], [undefined, 'ECONNRESET'])
})
