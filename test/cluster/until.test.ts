import t from 'tap'
import { until } from './until.ts'

const quick = { intervalMs: 1 }

t.test('returns the first answer that is neither undefined nor false', async (t) => {
  const answers = [undefined, false, 0, 1]
  t.equal(await until('there is an answer', () => answers.shift(), quick), 0)
  t.same(answers, [1])
})

t.test('a throw counts as not yet', async (t) => {
  let calls = 0
  const check = async () => {
    if (++calls < 3) throw new Error('refused')
    return 'answer'
  }
  t.equal(await until('it answers', check, quick), 'answer')
})

t.test('in vain: the error says for what, and what came last', async (t) => {
  const options = { ...quick, timeoutMs: 5 }
  await t.rejects(
    until('pigs fly', () => false as const, options),
    {
      message: 'waited 0.005 s in vain until pigs fly; last: false',
    },
  )
  const cause = new Error('refused')
  const check = () => Promise.reject(cause)
  await t.rejects(until('it answers', check, options), { message: /last: refused$/, cause })
})

t.test('its signal ends the waiting with its own reason', async (t) => {
  const failure = new AbortController()
  const waiting = until('never', () => undefined, { ...quick, signal: failure.signal })
  failure.abort(new Error('etcd ended'))
  await t.rejects(waiting, { message: 'etcd ended' })
})
