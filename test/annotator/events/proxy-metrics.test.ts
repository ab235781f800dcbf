import t from 'tap'
import { readBackendMetrics } from '../../../annotator/events/proxy-metrics.ts'
import { sendWithoutEnd, servePages } from '../../fixtures/pages.ts'

t.test('asks for the two counts of backends alone', async (t) => {
  const port = await servePages(t, ({ url }, answer) => answer.end(url))
  const names = 'haproxy_backend_active_servers,haproxy_backend_backup_servers'
  t.equal(await readBackendMetrics('127.0.0.1', port), `/metrics?scope=backend&metrics=${names}`)
})

t.test('what is no statistics, or too much, is refused', async (t) => {
  const port = await servePages(t, (_, answer) => answer.writeHead(404).end('nothing here'))
  await t.rejects(readBackendMetrics('127.0.0.1', port), {
    message: `127.0.0.1:${port}/metrics: status 404`,
  })
  const endless = await servePages(t, sendWithoutEnd)
  await t.rejects(readBackendMetrics('127.0.0.1', endless), { message: /is longer than 32 MiB$/ })
})
