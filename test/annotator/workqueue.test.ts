import t from 'tap'
import { Workqueue } from '../../annotator/workqueue.ts'

const never = (key: string, error: Error) => {
  throw new Error(`${key}: ${error.message}`)
}

/** Work that notes its keys and is done after the key "last". */
function untilLast() {
  const seen: string[] = []
  const done = Promise.withResolvers<void>()
  const work = async (key: string) => {
    seen.push(key)
    if (key === 'last') done.resolve()
    return undefined
  }
  return { seen, work, done: done.promise }
}

t.test('a key waits only once, and nothing runs before the start', async (t) => {
  const { seen, work, done } = untilLast()
  const queue = new Workqueue({ work, onError: never, workers: 1 })
  for (const key of ['a', 'b', 'a', 'a', 'last']) queue.add(key)
  t.strictSame([seen, queue.depth], [[], 3])
  queue.start()
  await done
  await queue.stop()
  t.strictSame(seen, ['a', 'b', 'last'])
})

t.test('one worker a key, and a change meanwhile is seen after', async (t) => {
  const gate = Promise.withResolvers<void>()
  const [begun, twice] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let [running, most, runs] = [0, 0, 0]
  const work = async () => {
    runs++
    begun.resolve()
    most = Math.max(most, ++running)
    await gate.promise
    running--
    if (runs === 2) twice.resolve()
    return undefined
  }
  const queue = new Workqueue({ work, onError: never, workers: 4 })
  queue.start()
  queue.add('a')
  await begun.promise
  for (let i = 0; i < 3; i++) queue.add('a')
  gate.resolve()
  await twice.promise
  await queue.stop()
  t.strictSame({ most, runs }, { most: 1, runs: 2 })
})

t.test('what one batch of news says of a key is one look, also where the queue is empty', async (t) => {
  const { seen, work, done } = untilLast()
  const queue = new Workqueue({ work, onError: never, workers: 4 })
  queue.start()
  for (const key of ['a', 'a', 'b', 'a', 'last']) queue.add(key)
  await done
  await queue.stop()
  t.strictSame(seen, ['a', 'b', 'last'])
})

t.test('a failed key comes again with back-off, others go on', async (t) => {
  const errors: string[] = []
  const seen: string[] = []
  const done = Promise.withResolvers<void>()
  const work = async (key: string) => {
    seen.push(key)
    if (key === 'bad' && errors.length < 2) throw new Error('not yet')
    if (key === 'bad') done.resolve()
    return undefined
  }
  const onError = (key: string, error: Error) => errors.push(`${key}: ${error.message}`)
  const queue = new Workqueue({ work, onError, workers: 1, backOff: { first: 1, most: 2 } })
  queue.start()
  queue.add('bad')
  queue.add('good')
  await done.promise
  await queue.stop()
  t.strictSame(errors, ['bad: not yet', 'bad: not yet'])
  t.strictSame(seen, ['bad', 'good', 'bad', 'bad'])
})

t.test('a failed key that changes again and again still waits for its back-off', async (t) => {
  const done = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<void>()
  const seen: string[] = []
  const work = async (key: string) => {
    seen.push(key)
    if (key === 'bad') throw new Error('refused')
    if (key === 'last') done.resolve()
    return undefined
  }
  const backOff = { first: 3_600_000, most: 3_600_000 }
  const queue = new Workqueue({ work, onError: () => failed.resolve(), workers: 1, backOff })
  queue.start()
  queue.add('bad')
  await failed.promise
  await Promise.resolve()
  for (const key of ['bad', 'bad', 'last', 'bad']) queue.add(key)
  await done.promise
  await queue.stop()
  t.strictSame(seen, ['bad', 'last'])
})

t.test('a key that asks for another look gets one', async (t) => {
  const done = Promise.withResolvers<void>()
  let runs = 0
  const work = async () => {
    if (++runs === 2) done.resolve()
    return runs === 1 ? 1 : undefined
  }
  const queue = new Workqueue({ work, onError: never, workers: 1 })
  queue.start()
  queue.add('a')
  await done.promise
  await queue.stop()
  t.equal(runs, 2)
})

t.test('stop waits for what is under way and begins nothing', async (t) => {
  const [isBegun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const begun: string[] = []
  let ended = false
  const work = async (key: string) => {
    begun.push(key)
    isBegun.resolve()
    await gate.promise
    ended = true
    return 1
  }
  const queue = new Workqueue({ work, onError: never, workers: 1 })
  queue.start()
  queue.add('a')
  queue.add('b')
  await isBegun.promise
  const stopped = queue.stop()
  gate.resolve()
  await stopped
  t.strictSame({ begun, ended }, { begun: ['a'], ended: true })
})
