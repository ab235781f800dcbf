import t from 'tap'
import { type Row, readResult, withRow, writeResult } from '../../../bench/chaos/result.ts'

const row = (name: string, failed = 0): Row => ({
  ...{ name, requests: 10, failed, failedWithoutZonefirst: 1, p99Ms: 2.5 },
  ...{ crossZoneDuring: 0, crossZoneAfter: 0, secondsToRight: 1, writes: 3 },
})
const order = ['first', 'second', 'third']

t.test('a later run of a fault replaces the earlier one, and all stay in their order', async (t) => {
  const before = { seed: 1, faults: [row('first'), row('third')] }
  t.strictSame(withRow(before, row('second'), order).faults, [row('first'), row('second'), row('third')])
  t.strictSame(withRow(before, row('first', 5), order).faults, [row('first', 5), row('third')])
})

t.test('a fault that there is no more goes', async (t) => {
  const before = { seed: 1, faults: [row('gone'), row('third')] }
  t.strictSame(withRow(before, row('first'), order).faults, [row('first'), row('third')])
})

t.test('what is written is read again; where there is nothing, nothing is', async (t) => {
  const file = `${t.testdir()}/build/chaos.json`
  t.equal(readResult(file), undefined)
  const result = { seed: 7, faults: [row('first')] }
  writeResult(file, result)
  t.strictSame(readResult(file), result)
})
