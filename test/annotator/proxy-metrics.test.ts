import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { readBackendMetrics } from '../../annotator/proxy-metrics.ts'

async function serve(t: Test, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

t.test('asks for the two counts of backends alone', async (t) => {
  const port = await serve(t, ({ url }, answer) => answer.end(url))
  const names = 'haproxy_backend_active_servers,haproxy_backend_backup_servers'
  t.equal(await readBackendMetrics('127.0.0.1', port), `/metrics?scope=backend&metrics=${names}`)
})

t.test('each time on a new connection, which reaches the worker that serves now', async (t) => {
  const ports: unknown[] = []
  const port = await serve(t, ({ socket, headers }, answer) => {
    ports.push(socket.remotePort)
    answer.end(headers.connection)
  })
  t.equal(await readBackendMetrics('127.0.0.1', port), 'close')
  await readBackendMetrics('127.0.0.1', port)
  t.equal(new Set(ports).size, 2)
})

t.test('a proxy can neither send it elsewhere nor fill its memory', async (t) => {
  const elsewhere = await serve(t, (_, answer) => answer.end('secret'))
  const rows: Record<string, RequestListener> = {
    'a redirect': (_, answer) => answer.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/` }).end(),
    'an answer that is cut': (_, answer) => {
      answer.writeHead(200, { 'content-length': 100 }).write('half', () => answer.destroy())
    },
    'an answer that goes silent': (_, answer) => answer.writeHead(200).write('half'),
    'no statistics': (_, answer) => answer.writeHead(404).end('nothing here'),
    'text without end': (_, answer) => {
      const block = 'x'.repeat(1 << 20)
      const more = () => {
        while (!answer.destroyed && answer.write(block));
      }
      answer.on('drain', more)
      more()
    },
  }
  for (const [name, listener] of Object.entries(rows)) {
    const port = await serve(t, listener)
    await t.rejects(readBackendMetrics('127.0.0.1', port), name)
  }
})
