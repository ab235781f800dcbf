import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { reasons } from '../../webhook/reasons.ts'
import { buildReport } from '../../webhook/report.ts'
import { parseReview } from '../../webhook/review.ts'
import { bindingReview } from '../fixtures/reviews.ts'

function setUp(level: string) {
  const lines: Record<string, unknown>[] = []
  const registry = new Registry()
  const log = pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const clock = { now: 0 }
  return { lines, registry, clock, report: buildReport(registry, log, () => clock.now) }
}
const request = parseReview(JSON.stringify(bindingReview()))

t.test('each reason is counted, from 0', async (t) => {
  const { registry, report } = setUp('info')
  report({ reason: 'stamped' }, request)
  report({ reason: 'stamped' }, request)
  report({ reason: 'bad-request', error: new Error('no JSON') })
  const text = await registry.metrics()
  for (const reason of Object.keys(reasons)) {
    const want = { stamped: 2, 'bad-request': 1 }[reason] ?? 0
    t.match(text, `zonefirst_webhook_reviews_total{reason="${reason}"} ${want}\n`)
  }
})

t.test('ordinary ends are silent, failures are told with what they were about', async (t) => {
  const { lines, report } = setUp('info')
  report({ reason: 'stamped' }, request)
  report({ reason: 'not-opted-in' }, request)
  t.strictSame(lines, [])
  report({ reason: 'lookup-failed', error: new Error('refused') }, request)
  t.match(lines, [
    {
      level: 40,
      reason: 'lookup-failed',
      namespace: 'shop',
      pod: 'web-1',
      resource: 'pods/binding',
      err: { message: 'refused' },
    },
  ])
})

t.test('at debug level each review has its line', async (t) => {
  const { lines, report } = setUp('debug')
  report({ reason: 'stamped' }, request)
  t.match(lines, [{ level: 20, reason: 'stamped', pod: 'web-1' }])
})

t.test('a flood of failures is counted whole and told in few lines', async (t) => {
  const { lines, registry, clock, report } = setUp('info')
  for (clock.now = 0; clock.now < 25_000; clock.now += 10) report({ reason: 'bad-request' })
  report({ reason: 'no-target' }, request)
  t.match(lines, [
    { reason: 'bad-request', unsaid: undefined },
    { reason: 'bad-request', unsaid: 999 },
    { reason: 'bad-request', unsaid: 999 },
    { reason: 'no-target', unsaid: undefined },
  ])
  t.match(await registry.metrics(), 'zonefirst_webhook_reviews_total{reason="bad-request"} 2500\n')
})
