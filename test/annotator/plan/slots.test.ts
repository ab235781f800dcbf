import t from 'tap'
import { slotsFor } from '../../../annotator/plan/slots.ts'

t.test('first choice', async (t) => {
  for (const [pods, want] of [
    [0, 8],
    [3, 8],
    [6, 16],
    [12, 32],
    [400, 512],
    [10_000, 512],
  ] as const) {
    t.equal(slotsFor(pods, undefined), want, `${pods} pods`)
  }
})

t.test('the number stays while there is room, grows early and shrinks late', async (t) => {
  t.equal(slotsFor(12, 16), 16, 'room for a few more')
  t.equal(slotsFor(15, 16), 32, 'nearly full')
  t.equal(slotsFor(3, 16), 16, 'half of it would do')
  t.equal(slotsFor(3, 32), 32, 'a quarter of it would do')
  t.equal(slotsFor(3, 64), 8, 'an eighth of it would do')
})

t.test('a number that nobody here wrote doesn’t count', async (t) => {
  for (const odd of [0, -8, 3, 9.5, 12, 1_024, 100_000, Number.NaN]) t.equal(slotsFor(3, odd), 8, `${odd}`)
})

for (const [how, up, down] of [
  ['by and by', [4, 6, 9, 12], [9, 6, 3]],
  ['at once', [12], [3]],
] as const) {
  t.test(`autoscaling between 3 and 12, ${how}, changes it once`, async (t) => {
    let [slots, changes] = [slotsFor(3, undefined), 0]
    for (let minute = 0; minute < 60; minute++) {
      for (const pods of minute % 2 === 0 ? up : down) {
        const next = slotsFor(pods, slots)
        if (next !== slots) changes++
        slots = next
      }
    }
    t.equal(changes, 1)
  })
}
