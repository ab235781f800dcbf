import t from 'tap'
import { trendOf } from '../../bench/webhook/trend.ts'

t.test('a straight line has its slope and no doubt', async (t) => {
  const samples = [0, 10, 20, 30].map((seconds) => ({ seconds, value: 100 + seconds / 10 }))
  const { perHour, uncertaintyPerHour } = trendOf(samples)
  t.equal(Math.round(perHour), 360)
  t.ok(uncertaintyPerHour < 1e-6)
})

t.test('what goes up and down has no slope that is larger than the doubt', async (t) => {
  const samples = [5, -5, -5, 5, 5, -5, -5, 5].map((off, index) => ({
    seconds: index * 10,
    value: 100 + off,
  }))
  const { perHour, uncertaintyPerHour } = trendOf(samples)
  t.ok(Math.abs(perHour) < 1e-6)
  t.ok(uncertaintyPerHour > 100)
})
