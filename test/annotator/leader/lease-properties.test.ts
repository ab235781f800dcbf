// What holds for any two candidates, whatever becomes of their requests, their clocks and their processes.
import fc from 'fast-check'
import t from 'tap'
import type { Election } from '../../../annotator/leader/lease.ts'
import { type Course, type Fate, quick, setUp } from '../../fixtures/candidates.ts'

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
