import t from 'tap'
import { Election } from '../../../annotator/leader/lease.ts'
import { quick, setUp, timing, wayTo } from '../../fixtures/candidates.ts'

t.test('figures that cannot keep two leaders apart are refused', async (t) => {
  const wrong = [
    { ...timing, leaseDuration: 10_000 },
    { ...timing, retryPeriod: 9_000 },
    { ...timing, retryPeriod: 0 },
  ]
  const { time, store } = setUp()
  for (const each of wrong) {
    const options = { store: wayTo(store, time, () => quick), identity: 'a', timing: each }
    const hears = { onGain() {}, onLoss() {}, onError() {} }
    t.throws(() => new Election({ ...options, ...hears }), /must be longer/)
  }
})

t.test('the first one leads at once, the other one waits', async (t) => {
  const { time, store, log, stand } = setUp()
  const a = stand('a')
  await time.runUntil(100)
  const b = stand('b')
  await time.runUntil(60_000)
  t.strictSame([a.isLeader, b.isLeader], [true, false])
  t.strictSame(log, ['a leads'])
  t.match(store.lease?.spec, { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 })
})

t.test('a leader that stops hands over at once', async (t) => {
  const { time, store, log, stand } = setUp()
  const a = stand('a')
  await time.runUntil(20_000)
  const b = stand('b')
  await time.runUntil(30_000)
  const stopped = a.stop()
  await time.runUntil(30_050)
  await stopped
  t.strictSame([a.isLeader, a.signal.aborted, store.lease?.spec?.holderIdentity], [false, true, ''])
  await time.runUntil(33_000)
  t.strictSame([b.isLeader, log], [true, ['a leads', 'b leads']])
  t.equal(store.lease?.spec?.leaseTransitions, 1)
})

t.test('a leader that dies is followed after the lease duration', async (t) => {
  const { time, stand } = setUp()
  let isDead = false
  stand('a', { course: () => ({ ...quick, fate: isDead ? 'hangs' : 'answered' }) })
  await time.runUntil(20_000)
  const b = stand('b', { offset: 3_600_000 })
  isDead = true
  await time.runUntil(34_000)
  t.equal(b.isLeader, false)
  await time.runUntil(40_000)
  t.equal(b.isLeader, true)
})

t.test('the API server away for less than the deadline changes nothing', async (t) => {
  const { time, log, stand } = setUp()
  const isAway = () => time.now > 20_000 && time.now < 26_000
  const a = stand('a', { course: () => ({ ...quick, fate: isAway() ? 'refused' : 'answered' }) })
  await time.runUntil(60_000)
  t.strictSame([a.isLeader, log], [true, ['a leads']])
})

t.test('… and for longer ends its leading at the deadline, counted from the last renewal', async (t) => {
  for (const fate of ['refused', 'hangs', 'lost'] as const) {
    const { time, log, stand } = setUp()
    const a = stand('a', { course: () => ({ ...quick, fate: time.now > 20_000 ? fate : 'answered' }) })
    await time.runUntil(28_000)
    t.equal(a.isLeader, true, fate)
    await time.runUntil(30_100)
    t.strictSame([a.isLeader, a.signal.aborted], [false, true], fate)
    t.strictSame(log, ['a leads', 'a: the Lease could not be renewed in time'], fate)
    t.match(a.signal.reason, { message: 'it leads no more: the Lease could not be renewed in time' })
  }
})

t.test('a Lease that was stolen ends it at the next look, and it does not stand again', async (t) => {
  const { time, store, log, stand } = setUp()
  const a = stand('a')
  await time.runUntil(20_000)
  store.set({ ...store.lease?.spec, holderIdentity: 'thief', leaseDurationSeconds: 15 })
  await time.runUntil(22_100)
  t.strictSame([a.isLeader, a.signal.aborted], [false, true])
  await time.runUntil(90_000)
  t.strictSame(log, ['a leads', 'a: thief has taken the Lease'])
  t.equal(store.lease?.spec?.holderIdentity, 'thief')
})

t.test('a Lease that was deleted is made anew by its holder, and taken by nobody else', async (t) => {
  const { time, store, log, stand } = setUp()
  const a = stand('a')
  await time.runUntil(1_000)
  const b = stand('b')
  for (const at of [20_000, 21_000, 30_500]) {
    await time.runUntil(at)
    store.lease = undefined
  }
  await time.runUntil(60_000)
  t.strictSame([a.isLeader, b.isLeader, log], [true, false, ['a leads']])
  t.equal(store.lease?.spec?.holderIdentity, 'a')
})

t.test('the same pod, started again, goes on at once', async (t) => {
  const { time, log, stand } = setUp()
  stand('a', { course: () => ({ ...quick, fate: time.now > 20_000 ? 'hangs' : 'answered' }) })
  await time.runUntil(20_000)
  const again = stand('a')
  await time.runUntil(20_100)
  t.strictSame([again.isLeader, log], [true, ['a leads', 'a leads']])
})

t.test('after a pause of the process it does not take itself for the leader', async (t) => {
  const { time, stand } = setUp()
  const a = stand('a', { pause: { from: 20_000, to: 80_000 } })
  stand('b')
  await time.runUntil(75_000)
  t.equal(a.isLeader, false, 'though nothing of it has run')
  t.equal(a.signal.aborted, false)
  await time.runUntil(81_000)
  t.equal(a.signal.aborted, true)
})
