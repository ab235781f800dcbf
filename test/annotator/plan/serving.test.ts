import t from 'tap'
import { guardedServing } from '../../../annotator/plan/serving.ts'
import { endpoints, input, pod } from '../../fixtures/cluster-objects.ts'

const options = { bound: 1.25, now: 0, memory: {}, isNew: false }
const shares = new Map([
  ['a', 1 / 3],
  ['b', 1 / 3],
  ['c', 1 / 3],
])
const served = (given: Parameters<typeof input>[0]) => {
  const found = guardedServing(input(given), options)
  return 'serves' in found ? Object.fromEntries(found.serves) : found
}

t.test('without a ready proxy there is nothing to guard', async (t) => {
  t.strictSame(guardedServing(input(), options), { serves: new Map(), memory: {}, openZones: 0 })
})

t.test('zones that nobody can be lent to are counted', async (t) => {
  const openZones = (zones: ReadonlyMap<string, number>) => {
    const found = guardedServing(input({ shares: zones }), options)
    return 'serves' in found ? found.openZones : found
  }
  t.equal(openZones(shares), 1, 'a pod of a or b for c would leave the other one overloaded')
  const half = new Map([
    ['a', 0.5],
    ['b', 0.5],
    ['c', 0],
  ])
  t.equal(openZones(half), 0, 'a zone without traffic needs none')
})

t.test('pods that are not ready', async (t) => {
  const names = ['web-1', 'web-2', 'web-3', 'web-4']
  const slices = [endpoints(names, { unreadyPods: ['web-5', 'web-6', 'web-7', 'web-8'] })]
  const pods = [
    ...input().pods,
    pod('web-5', 'c'),
    pod('web-6', 'a', { serves: undefined }),
    pod('web-7', 'a', { serves: 'b' }),
    pod('web-8', 'c', { serves: 'b' }),
  ]
  t.match(served({ shares, pods, endpoints: slices }), {
    // c is open: nobody ready serves it
    'web-5': undefined,
    'web-6': 'a',
    'web-7': 'b',
    'web-8': 'b',
  })
  const pinnedPods = new Set(['web-5', 'web-8'])
  t.match(
    served({ shares, pods, endpoints: slices, pinnedPods }),
    { 'web-5': 'c', 'web-8': 'b' },
    'of one that another Service selects too, both have to say the same, whatever is open for whom',
  )
})
