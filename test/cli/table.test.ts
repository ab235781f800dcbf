import t from 'tap'
import { age, table } from '../../cli/table.ts'

t.test(
  'columns are as wide as their widest cell, numbers to the right, and lines end where their text does',
  async (t) => {
    const rows = [
      ['shop/web', '7', '1.5 kB', ''],
      ['shop/storefront', '12', '-', 'Routed'],
      ['a title of its own, wider than its column'],
    ]
    t.equal(
      table(['SERVICE', 'PODS', 'BYTES', 'REASON'], rows),
      [
        'SERVICE          PODS   BYTES  REASON',
        'shop/web            7  1.5 kB',
        'shop/storefront    12       -  Routed',
        'a title of its own, wider than its column',
        '',
      ].join('\n'),
    )
  },
)

t.test(
  'a column without any digit, or with one cell that is no number, is aligned to the left',
  async (t) => {
    const rows = [
      ['-', '7', 'x'],
      ['-', 'b-7', 'x'],
    ]
    t.equal(table(['AGE', 'NAME', 'X'], rows), 'AGE  NAME  X\n-    7     x\n-    b-7   x\n')
  },
)

t.test('ages', async (t) => {
  const [second, minute, hour] = [1_000, 60_000, 3_600_000]
  const rows: [number, string][] = [
    [-5 * second, '0s'],
    [119 * second, '119s'],
    [120 * second, '2m'],
    [119 * minute, '119m'],
    [2 * hour, '2h'],
    [47 * hour, '47h'],
    [48 * hour, '2d'],
  ]
  for (const [ms, want] of rows) t.equal(age(ms), want, want)
})
