import t from 'tap'
import { inSteps } from '../../../annotator/write/steps.ts'

const write = (kind: string, name: string) => ({ kind, name })
const writes = [
  write('pod', '1'),
  write('pod', '2'),
  write('pod', '3'),
  write('service', '4'),
  write('pod', '5'),
]

/** Every write waits until so many are under way. */
function gate(together: number) {
  const opened = Promise.withResolvers<void>()
  let [running, most] = [0, 0]
  return {
    most: () => most,
    async pass(): Promise<void> {
      most = Math.max(most, ++running)
      if (running === together) opened.resolve()
      await opened.promise
      running--
    },
  }
}

t.test('those of one kind go out together, so many at a time', async (t) => {
  const { most, pass } = gate(2)
  await inSteps(writes, 2, pass)
  t.equal(most(), 2)
})

t.test('those of the next kind wait for all of them', async (t) => {
  const log: string[] = []
  await inSteps(writes, 8, async ({ name }) => {
    log.push(`begin ${name}`)
    await Promise.resolve()
    log.push(`end ${name}`)
  })
  const step = (text: string) => log.indexOf(text)
  for (const name of ['1', '2', '3']) t.ok(step(`end ${name}`) < step('begin 4'))
  t.ok(step('end 4') < step('begin 5'))
})

t.test('a failure: the others of its kind are carried out, no other kind is begun', async (t) => {
  const slow = Promise.withResolvers<void>()
  const log: string[] = []
  const done = inSteps(writes, 2, async ({ name }) => {
    log.push(name)
    if (name === '1') throw new Error('refused')
    await slow.promise
    log.push(`${name} ended`)
  })
  setImmediate(slow.resolve)
  await t.rejects(done, { message: 'refused' })
  t.strictSame(log, ['1', '2', '2 ended', '3', '3 ended'])
})

t.test('nothing to write', (t) => t.resolves(inSteps([], 2, () => Promise.reject(new Error('never')))))
