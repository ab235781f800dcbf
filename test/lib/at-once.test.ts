import t from 'tap'
import { atOnce } from '../../lib/at-once.ts'

t.test('so many at a time, and results in the order of the items', async (t) => {
  const ends = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const begun: number[] = []
  const done = atOnce(2, [0, 1, 2], async (item) => {
    begun.push(item)
    await ends[item]?.promise
    return item * 10
  })
  t.strictSame(begun, [0, 1])
  ends[1]?.resolve()
  ends[2]?.resolve()
  await ends[1]?.promise
  ends[0]?.resolve()
  t.strictSame(await done, [0, 10, 20])
  t.strictSame(begun, [0, 1, 2])
})

t.test('a failure is thrown when nothing is under way any more', async (t) => {
  const slow = Promise.withResolvers<void>()
  const log: string[] = []
  const done = atOnce(2, ['bad', 'slow', 'next'], async (item) => {
    if (item === 'bad') throw new Error('refused')
    await slow.promise
    log.push(item)
  })
  setImmediate(slow.resolve)
  await t.rejects(done, { message: 'refused' })
  t.strictSame(log, ['slow', 'next'], 'the other goes on')
})

t.test('nothing to do', async (t) => t.strictSame(await atOnce(2, [], () => Promise.reject('never')), []))
