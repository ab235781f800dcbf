import t from 'tap'
import { median } from './median.ts'

t.test('the middle one, or halfway between the middle two', async (t) => {
  t.equal(median([30, 4, 38]), 30, 'sorted as numbers')
  t.equal(median([1, 9, 2, 4]), 3)
  t.equal(median([7]), 7)
  t.equal(median([]), 0)
})
