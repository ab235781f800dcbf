import { readFileSync } from 'node:fs'
import t from 'tap'
import { allFaults } from '../../../bench/chaos/faults/all.ts'
import { tableOf, withTable } from '../../../bench/chaos/page.ts'

const row = {
  ...{ name: 'zone-lost', requests: 1200, failed: 3, failedWithoutZonefirst: 40, p99Ms: 61.4 },
  ...{ crossZoneDuring: 0.0512, crossZoneAfter: 0, secondsToRight: 2.5, writes: 4 },
}

t.test('a line for each fault that was run, and the sum', async (t) => {
  const table = tableOf(
    { seed: 7, faults: [row, { ...row, name: 'dns-down', secondsToRight: null }] },
    allFaults,
  )
  const lines = table.split('\n')
  t.match(lines[2], /^\| zones \| all pods .* \| 1200 \| 3 \| 40 \| 61 ms \| 5.1 % \| 0 % \| 2.5 s \| 4 \|$/)
  t.match(lines[3], /^\| DNS \| .*\*\*not in time\*\* \| 4 \|$/)
  t.match(table, /2 faults, seed 7. In all 2400 requests to each side: 6 failed with zonefirst, 80 without\./)
  t.match(table, / Not run: zone-cut-off, node-lost, /)
  t.notMatch(
    tableOf(
      { seed: 7, faults: [row] },
      allFaults.filter(({ name }) => name === row.name),
    ),
    'Not run',
  )
})

t.test('only what is between the markers changes', async (t) => {
  const page = 'before\n<!-- begin: make reliability-page -->\nold\n<!-- end -->\nafter\n'
  const once = withTable(page, 'new\n')
  t.equal(once, 'before\n<!-- begin: make reliability-page -->\n\nnew\n\n<!-- end -->\nafter\n')
  t.equal(withTable(once, 'new\n'), once)
  t.throws(() => withTable('before', 'new'), /lacks its markers/)
})

t.test('docs/reliability.md can take it', async (t) => {
  const page = readFileSync(`${import.meta.dirname}/../../../docs/reliability.md`, 'utf8')
  t.match(withTable(page, 'the table\n'), 'the table')
})
