import t from 'tap'
import { figuresOf, type Sample } from '../../../bench/chaos/samples.ts'

const zones: Record<string, string> = { near: 'a', far: 'b' }
const sample = (startedAt: number, ms: number, more: Partial<Sample> = {}): Sample => {
  return { side: 'zonefirst', zone: 'a', startedAt, ms, pod: 'near', ...more }
}

t.test('counts one side’s requests that began in the time', async (t) => {
  const samples = [
    sample(9, 1),
    sample(10, 2),
    sample(11, 3, { pod: 'far' }),
    sample(12, 5_000, { failure: 'timeout', pod: undefined }),
    sample(13, 4, { side: 'alone', failure: 'status 503', pod: undefined }),
    sample(20, 5),
  ]
  t.strictSame(
    figuresOf(samples, 'zonefirst', { from: 10, to: 20 }, (pod) => zones[pod]),
    { requests: 3, failed: 1, p99Ms: 3, crossZone: 0.5, failures: { timeout: 1 } },
  )
})

t.test('an answer crosses by the zone of the ingress controller that gave it', async (t) => {
  const samples = [sample(1, 1, { zone: 'b', pod: 'far' }), sample(1, 1, { zone: 'b', pod: 'near' })]
  const { crossZone } = figuresOf(samples, 'zonefirst', { from: 0, to: 2 }, (pod) => zones[pod])
  t.equal(crossZone, 0.5)
})

t.test('nothing sent', async (t) => {
  const none = { requests: 0, failed: 0, p99Ms: 0, crossZone: 0, failures: {} }
  t.strictSame(
    figuresOf([], 'alone', { from: 0, to: 2 }, () => undefined),
    none,
  )
})
