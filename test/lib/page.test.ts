import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { readPage, readWithin } from '../../lib/page.ts'
import { sendWithoutEnd, servePages } from '../fixtures/pages.ts'

const limits = { time: 60_000, length: 2 ** 20 }

t.test('a page, whatever its status, and its query', async (t) => {
  const port = await servePages(t, ({ url }, answer) => answer.writeHead(404).end(url))
  t.strictSame(await readPage('127.0.0.1', port, '/page?of=it', limits), { status: 404, text: '/page?of=it' })
})

t.test('at an IPv6 address', async (t) => {
  const server = createServer((_, answer) => answer.end('six')).listen(0, '::1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  t.match(await readPage('::1', port, '/', limits), { text: 'six' })
})

t.test('each time on a new connection, which reaches the process that serves now', async (t) => {
  const ports: unknown[] = []
  const port = await servePages(t, ({ socket, headers }, answer) => {
    ports.push(socket.remotePort)
    answer.end(headers.connection)
  })
  t.match(await readPage('127.0.0.1', port, '/', limits), { text: 'close' })
  await readPage('127.0.0.1', port, '/', limits)
  t.equal(new Set(ports).size, 2)
})

t.test('a redirect is not followed', async (t) => {
  const elsewhere = await servePages(t, (_, answer) => answer.end('secret'))
  const port = await servePages(t, (_, answer) =>
    answer.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/` }).end(),
  )
  t.strictSame(await readPage('127.0.0.1', port, '/', limits), { status: 302, text: '' })
})

t.test('one that keeps it waiting, or goes on without end, is given up in one sentence', async (t) => {
  const rows: { name: string; listener: RequestListener; time?: number; want: string }[] = [
    { name: 'never answers', listener: () => {}, time: 50, want: 'did not come whole within 0.05 s' },
    {
      name: 'goes silent',
      listener: (_, answer) => answer.writeHead(200).write('half'),
      time: 50,
      want: 'did not come whole within 0.05 s',
    },
    { name: 'has no end', listener: sendWithoutEnd, want: 'is longer than 1 MiB' },
  ]
  for (const { name, listener, time = limits.time, want } of rows) {
    const port = await servePages(t, listener)
    const reading = readPage('127.0.0.1', port, '/page', { ...limits, time })
    await t.rejects(reading, { message: `http://127.0.0.1:${port}/page ${want}` }, name)
  }
})

t.test('one that is cut off is no page', async (t) => {
  const port = await servePages(t, (_, answer) => {
    answer.writeHead(200, { 'content-length': 100 }).write('half', () => answer.destroy())
  })
  await t.rejects(readPage('127.0.0.1', port, '/', limits), { code: 'ECONNRESET' })
})

t.test('what keeps it from being opened is told as it is', async (t) => {
  const failure = new Error('no connection')
  await t.rejects(
    readWithin('the page', limits, () => Promise.reject(failure)),
    failure,
  )
})
