import { Counter, Registry } from 'prom-client'
import t from 'tap'
import { buildProbes } from '../../lib/probes.ts'

t.test('live, ready and metrics', async (t) => {
  const registry = new Registry()
  new Counter({ name: 'seen_total', help: 'Seen.', registers: [registry] }).inc(3)
  let hasSynced = false
  const app = buildProbes({
    registry,
    checks: [
      { name: 'pods', isReady: () => hasSynced },
      { name: 'certificate', isReady: () => true },
    ],
  })
  t.teardown(() => app.close())
  const get = (url: string) => app.inject({ method: 'GET', url })

  t.equal((await get('/livez')).statusCode, 200)

  const before = await get('/readyz')
  t.equal(before.statusCode, 503)
  t.equal(before.body, 'pods: not ready\ncertificate: ready\n', 'it says what is missing')
  hasSynced = true
  const after = await get('/readyz')
  t.equal(after.statusCode, 200)
  t.equal(after.body, 'pods: ready\ncertificate: ready\n')

  const metrics = await get('/metrics')
  t.match(metrics.headers, { 'content-type': /^text\/plain/ })
  t.match(metrics.body, /^seen_total 3$/m)
})
