// Clients that send slowly, too much, nonsense or nothing: each is ended in time, and the others are served meanwhile.
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import t, { type Test } from 'tap'
import { makeClientCertificate } from '../fixtures/client-certificate.ts'
import { build, listen } from '../fixtures/review-server.ts'
import { bindingReview } from '../fixtures/reviews.ts'

const impatient = { handshakeMs: 300, requestMs: 300, checkMs: 20 }
const body = JSON.stringify(bindingReview())
const head = `POST /mutate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`

async function open(t: Test, options: tls.ConnectionOptions) {
  const socket = tls.connect({ host: 'localhost', ...options })
  t.teardown(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

/** What the server still said until the connection ended. */
async function untilEnd(socket: net.Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  if (!socket.destroyed) await once(socket, 'close')
  return text
}

t.test('slow clients get 408, the others are served meanwhile', async (t) => {
  const { app, reported } = build(t, { timing: impatient })
  const { port, ca, send } = await listen(t, app)
  const rows = [
    { name: 'the first line', begin: 'POST /mut', drop: 'x' },
    { name: 'a header that never ends', begin: `${head}x-padding: `, drop: 'x' },
    { name: 'body', begin: `${head}\r\n${body.slice(0, 10)}`, drop: ' ' },
  ]
  for (const { name, begin, drop } of rows) {
    const slow = await open(t, { port, ca })
    slow.write(begin)
    // never silent for long: a limit on silence would not end it
    const drops = setInterval(() => slow.writable && slow.write(drop), 50)
    const ended = untilEnd(slow)
    t.equal((await send()).status, 200, `${name}: another is served`)
    const answer = await ended
    t.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/, name)
    t.match(answer, /\r\n\r\nThe request took too long to arrive\.\n$/, name)
    clearInterval(drops)
    t.equal((await send()).status, 200, `${name}: and after`)
  }
  t.strictSame(
    reported.filter(({ reason }) => reason === 'internal-error'),
    [],
  )
})

t.test('a connection on which nothing was asked yet is no slow client', async (t) => {
  const { app } = build(t, { timing: { ...impatient, idleMs: 1_200 } })
  const { port, ca } = await listen(t, app)
  const used = await open(t, { port, ca })
  const unused = await open(t, { port, ca })
  // as long as it takes until a slow client is ended
  const slow = await open(t, { port, ca })
  slow.write('POST')
  await untilEnd(slow)
  used.write(`${head}\r\n${body}`)
  const [answer] = await once(used, 'data')
  t.match(String(answer), /^HTTP\/1\.1 200 OK\r\n/)
  t.equal(await untilEnd(unused), '', 'ended at last, without a word that nobody asked for')
})

t.test('half-open connections: neither TLS handshake nor byte', async (t) => {
  const { app } = build(t, { timing: impatient })
  const { port, send } = await listen(t, app)
  const silent = net.connect(port, 'localhost')
  const halfway = net.connect(port, 'localhost')
  t.teardown(() => [silent, halfway].map((socket) => socket.destroy()))
  // the beginning of a ClientHello
  halfway.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
  const ends = [silent, halfway].map(untilEnd)
  t.equal((await send()).status, 200, 'another is served')
  await Promise.all(ends)
  t.equal((await send()).status, 200)
})

t.test('giant headers and what is no HTTP', async (t) => {
  const { app } = build(t)
  const { port, ca, send } = await listen(t, app)
  const rows = [
    {
      name: 'one giant header',
      text: `${head}x-padding: ${'x'.repeat(100_000)}\r\n\r\n`,
      want: /^HTTP\/1\.1 431 /,
    },
    { name: 'many headers', text: head + 'x-padding: some\r\n'.repeat(5_000), want: /^HTTP\/1\.1 431 / },
    { name: 'no HTTP', text: 'EHLO there\r\n\r\n', want: /^HTTP\/1\.1 400 .*This is no HTTP request\.\n$/s },
  ]
  for (const { name, text, want } of rows) {
    const socket = await open(t, { port, ca })
    socket.write(text)
    t.match(await untilEnd(socket), want, name)
    t.equal((await send()).status, 200, `after: ${name}`)
  }
  const plain = net.connect(port, 'localhost')
  plain.write('POST /mutate HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await untilEnd(plain)
  t.equal((await send()).status, 200, 'after: HTTP without TLS')
})

t.test('1,000 idle connections', async (t) => {
  const { app } = build(t)
  const { port, ca, send } = await listen(t, app)
  const secureContext = tls.createSecureContext({ ca })
  for (let at = 0; at < 1_000; at += 50) {
    await Promise.all(Array.from({ length: 50 }, () => open(t, { port, secureContext })))
  }
  t.equal((await send()).status, 200)
  const connections = await new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))
  t.equal(connections, 1_001, 'none was ended for it')
})

t.test('clients are verified where that is asked for', async (t) => {
  const [known, stranger] = [await makeClientCertificate('api'), await makeClientCertificate('api')]
  const { app } = build(t, { verifyClients: true })
  const { send } = await listen(t, app, known.cert)
  const rows = [
    { name: 'without a certificate', options: {}, isServed: false },
    { name: 'of a stranger', options: stranger, isServed: false },
    { name: 'that is trusted', options: known, isServed: true },
  ]
  for (const { name, options, isServed } of rows) {
    const status = await send(body, { ...options, agent: false, rejectUnauthorized: false }).then(
      (answer) => answer.status,
      (error: Error & { code?: string }) => error.code,
    )
    if (isServed) t.equal(status, 200, name)
    else t.match(status, /^(ERR_SSL|ECONNRESET|EPIPE)/, name)
  }
})
