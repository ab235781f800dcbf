import fc from 'fast-check'
import t from 'tap'
import type { Pod } from '../../../annotator/load-guard/assign.ts'
import { type GuardMemory, guard, restTime, settleTime } from '../../../annotator/load-guard/guard.ts'
import { planLoad, weigh } from '../../../annotator/load-guard/plan-load.ts'
import { deepFreeze } from '../../fixtures/freeze.ts'
import { even, podsIn } from '../../fixtures/load-pods.ts'

const bound = 1.25
const shares = even('abc')
const run = (pods: Pod[], now: number, memory: GuardMemory = {}) =>
  guard(deepFreeze({ shares, pods, bound, now, memory, isNew: false }))
const isKept = (pods: Pod[], result: ReturnType<typeof guard>) =>
  pods.every(({ name, serves }) => result?.serves.get(name) === serves)

t.test('a balanced Service is left as it is', async (t) => {
  const pods = podsIn({ a: 4, b: 4, c: 3 })
  const result = run(pods, 0)
  t.equal(isKept(pods, result), true)
  t.strictSame(result?.memory, {})
})

t.test('an overload has to last', async (t) => {
  const pods = podsIn({ a: 3, b: 3, c: 1 })
  const first = run(pods, 0)
  t.equal(isKept(pods, first), true)
  t.strictSame(first, { ...first, memory: { calledSince: 0 }, lookAgainIn: settleTime })
  const later = run(pods, settleTime, first?.memory)
  t.equal(isKept(pods, later), false)
  t.strictSame(later?.memory, { movedAt: settleTime })
  t.strictSame(
    run(podsIn({ a: 3, b: 3, c: 3 }), 1, first?.memory)?.memory,
    {},
    'one that passes is forgotten',
  )
})

t.test('a bad overload does not wait', async (t) => {
  const pods = podsIn({ a: 8, b: 8, c: 1 })
  t.equal(isKept(pods, run(pods, 0)), false)
})

t.test('a gain has to be worth it, to last, and some time after the last move', async (t) => {
  // c has four pods now, two of its servants are lent still
  const pods = [...podsIn({ a: 5, b: 5, c: 4 })].map((pod) =>
    ['a-1', 'b-1'].includes(pod.name) ? { ...pod, serves: 'c' } : pod,
  )
  const first = run(pods, 1_000, { movedAt: 0 })
  t.match(first, { memory: { movedAt: 0, calledSince: 1_000 }, lookAgainIn: restTime - 1_000 })
  const later = run(pods, restTime, { movedAt: 0, calledSince: 1_000 })
  t.strictSame(later?.serves, new Map(pods.map(({ name, zone }) => [name, zone])), 'everybody is home again')
  const tiny = podsIn({ a: 20, b: 20, c: 20 }).map((pod) =>
    pod.name === 'a-1' ? { ...pod, serves: 'c' } : pod,
  )
  t.equal(isKept(tiny, run(tiny, 1e9)), true, 'one pod of sixty is not worth a move')
})

t.test('the first assignment is made at once', async (t) => {
  const pods = podsIn({ a: 2, b: 2, c: 2 }, () => ({ serves: undefined }))
  t.strictSame(run(pods, 0)?.serves, new Map(pods.map(({ name, zone }) => [name, zone])))
})

t.test('before anything is routed there is nothing to wait for', async (t) => {
  const pods = podsIn({ a: 3, b: 3, c: 1 })
  const result = guard(deepFreeze({ shares, pods, bound, now: 0, memory: {}, isNew: true }))
  t.equal(isKept(pods, result), false)
})

t.test('a newcomer without a label joins its zone', async (t) => {
  const pods = podsIn({ a: 3, b: 3, c: 3 }, ({ name }) => (name === 'a-3' ? { serves: undefined } : {}))
  t.equal(run(pods, 0)?.serves.get('a-3'), 'a')
})

t.test('pinned pods that overload somebody whatever is done', async (t) => {
  t.equal(
    run(
      podsIn({ a: 5, b: 1, c: 1 }, () => ({ pinned: true })),
      0,
    ),
    undefined,
  )
})

t.test(
  'under churn it comes to rest, within the bound and near the best, and never moves too often',
  async () => {
    const counts = fc.array(fc.tuple(fc.nat(6), fc.nat(6), fc.nat(6)), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(counts, (steps) => {
        let serves = new Map<string, string | undefined>()
        let memory: GuardMemory = {}
        let now = 0
        const moves: number[] = []
        const step = (pods: Pod[]) => {
          const today = pods.map((pod) => ({
            ...pod,
            serves: serves.has(pod.name) ? serves.get(pod.name) : pod.serves,
          }))
          const result = guard({ shares, pods: today, bound, now, memory, isNew: false })
          if (result === undefined) throw new Error('nothing is pinned')
          if (result.memory.movedAt === now && !isKept(today, result)) moves.push(now)
          serves = new Map(result.serves)
          memory = result.memory
          return pods.map((pod) => ({ ...pod, serves: serves.get(pod.name) }))
        }
        for (const [a, b, c] of steps) {
          step(podsIn({ a, b: b + 1, c }))
          now += 5_000
        }
        const [a, b, c] = steps.at(-1) ?? [0, 0, 0]
        const settled = podsIn({ a, b: b + 1, c })
        let last = settled
        for (let i = 0; i < 30; i++) {
          last = step(settled)
          now += 5_000
        }
        const movesAtRest = moves.filter((at) => at > now - 75_000).length
        const weight = weigh(shares, last)
        const best = planLoad(shares, last, bound)
        return (
          movesAtRest === 0 &&
          weight.worst <= bound + 1e-9 &&
          weight.crossing - (best?.crossing ?? 0) < 0.05 &&
          moves.length <= steps.length + 2
        )
      }),
      { numRuns: 300 },
    )
  },
)
