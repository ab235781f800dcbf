// Candidates for one Lease on a store of the test's own, in virtual time.
import fc from 'fast-check'
import t from 'tap'
import { Election } from '../../../annotator/leader/lease.ts'
import type { Lease } from '../../../annotator/leader/lease-record.ts'
import type { LeaseStore } from '../../../annotator/leader/lease-store.ts'
import { type Pause, VirtualTime } from '../../fixtures/virtual-time.ts'

const timing = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 }

type Fate = 'answered' | 'refused' | 'lost' | 'hangs'
interface Course {
  fate: Fate
  /** ms until the store has the request, and until its answer is back */
  there: number
  back: number
}
const quick: Course = { fate: 'answered', there: 5, back: 5 }

/** What the API server keeps: one Lease with its version. */
class Store {
  lease: Lease | undefined
  #version = 0

  change(before: Lease | undefined, spec: Lease['spec']): Lease | undefined {
    if (before?.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) return undefined
    return this.set(spec)
  }

  set(spec: Lease['spec']): Lease {
    this.lease = { metadata: { resourceVersion: String(++this.#version) }, ...(spec && { spec }) }
    return this.lease
  }
}

/** One candidate's way to the store; `course` says what becomes of its next request. */
function wayTo(store: Store, time: VirtualTime, course: () => Course): LeaseStore {
  async function ask<T>(act: () => T): Promise<T> {
    const { fate, there, back } = course()
    await time.wait(there)
    if (fate === 'refused') throw new Error('refused')
    if (fate === 'hangs') return new Promise(() => {})
    const answer = act()
    await time.wait(back)
    if (fate === 'lost') throw new Error('the answer was lost')
    return answer
  }
  return {
    read: () => ask(() => store.lease),
    write: (before, spec) => ask(() => store.change(before, spec)),
  }
}

interface CandidateOptions {
  course?: () => Course
  rate?: number
  offset?: number
  pause?: Pause
}

function setUp() {
  const time = new VirtualTime()
  const store = new Store()
  const log: string[] = []
  const stand = (identity: string, { course = () => quick, ...clock }: CandidateOptions = {}) => {
    const election = new Election({
      store: wayTo(store, time, course),
      identity,
      timing,
      clock: time.clock(clock),
      onGain: () => log.push(`${identity} leads`),
      onLoss: (reason) => log.push(`${identity}: ${reason}`),
      onError: () => {},
    })
    election.start()
    return election
  }
  return { time, store, log, stand }
}

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

const fates = fc.constantFrom<Fate>('answered', 'answered', 'answered', 'refused', 'lost', 'hangs')
const delay = fc.oneof({ weight: 4, arbitrary: fc.nat(50) }, { weight: 1, arbitrary: fc.nat(20_000) })
const courses = fc.array(fc.record({ fate: fates, there: delay, back: delay }), {
  minLength: 1,
  maxLength: 60,
})
const outage = fc.record({ from: fc.nat(120_000), length: fc.nat(40_000) })
const candidate = fc.record({
  courses,
  outage,
  rate: fc.double({ min: 0.9, max: 1.1, noNaN: true }),
  offset: fc.integer({ min: 0, max: 1_000_000_000 }),
  startsAt: fc.nat(30_000),
  stopsAt: fc.option(fc.nat(150_000)),
  pause: fc.record({ from: fc.nat(120_000), length: fc.nat(40_000) }),
})

t.test('whatever fails, never do two lead, and in the end one does', async () => {
  await fc.assert(
    fc.asyncProperty(candidate, candidate, async (...plans) => {
      const { time, stand } = setUp()
      const elections: Election[] = []
      const noTwo = () => {
        const leaders = elections.filter(({ isLeader }) => isLeader).length
        if (leaders > 1) throw new Error(`${leaders} lead at ${time.now}`)
      }
      const life = async (plan: (typeof plans)[number], index: number) => {
        const { rate, offset, startsAt, stopsAt, pause } = plan
        let at = 0
        const course = (): Course => {
          const { from, length } = plan.outage
          if (time.now > 160_000) return quick
          if (time.now >= from && time.now < from + length) return { fate: 'hangs', there: 5, back: 5 }
          return plan.courses[at++ % plan.courses.length] ?? quick
        }
        await time.wait(startsAt)
        const paused = { from: pause.from, to: pause.from + pause.length }
        const election = stand(`${index}`, { course, rate, offset, pause: paused })
        elections.push(election)
        if (stopsAt === null || stopsAt < startsAt) return
        await time.wait(stopsAt - startsAt)
        await election.stop()
      }
      plans.forEach((plan, index) => void life(plan, index))
      await time.runUntil(200_000, noTwo)
      // a replacement for those that ended, when all is well again
      const last = stand('last')
      elections.push(last)
      await time.runUntil(240_000, noTwo)
      const leaders = elections.filter(({ isLeader }) => isLeader).length
      if (leaders !== 1) throw new Error(`${leaders} lead in the end`)
    }),
    { numRuns: 300 },
  )
})
