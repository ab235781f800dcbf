import t from 'tap'
import { chooseFaults } from '../../../bench/chaos/choose.ts'
import { allFaults, namesOfFaults } from '../../../bench/chaos/faults/all.ts'
import { randomFrom } from '../../../bench/load-guard/random.ts'

const names = (faults: readonly { name: string }[]) => faults.map(({ name }) => name)

t.test('all, in an order that the seed decides', async (t) => {
  const once = names(chooseFaults(allFaults, [], randomFrom(1)))
  t.strictSame(names(chooseFaults(allFaults, [], randomFrom(1))), once)
  t.notSame(names(chooseFaults(allFaults, [], randomFrom(2))), once)
  t.strictSame([...once].sort(), [...namesOfFaults].sort())
})

t.test('those that are named, in that order', async (t) => {
  const some = ['dns-down', 'zone-lost']
  t.strictSame(names(chooseFaults(allFaults, some, randomFrom(1))), some)
  t.throws(() => chooseFaults(allFaults, ['dns-up'], randomFrom(1)), /no fault dns-up: there are .*dns-down/)
})

t.test('each has a name of its own', async (t) => {
  t.equal(new Set(namesOfFaults).size, namesOfFaults.length)
  t.ok(namesOfFaults.length >= 30)
})
