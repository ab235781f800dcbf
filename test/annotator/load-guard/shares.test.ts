import t from 'tap'
import { sharesOf } from '../../../annotator/load-guard/shares.ts'

t.test('shares of zones', async (t) => {
  t.strictSame(
    sharesOf(new Map(), ['a', 'b', 'a', 'c']),
    new Map([
      ['a', 0.5],
      ['b', 0.25],
      ['c', 0.25],
    ]),
  )
  t.strictSame(
    sharesOf(
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
      ['c'],
    ),
    new Map([
      ['a', 0.75],
      ['b', 0.25],
    ]),
    'configured ones hold',
  )
  t.equal(sharesOf(new Map(), []), undefined)
})
