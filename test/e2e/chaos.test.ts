// The short form of `make chaos`: some of its faults, with the controller alone beside zonefirst under each. Nothing is
// wrong afterwards, and where a zone is lost fewer requests are.
import '../cluster/enter.ts'
import t from 'tap'
import { chooseFaults } from '../../bench/chaos/choose.ts'
import { allFaults } from '../../bench/chaos/faults/all.ts'
import { strike } from '../../bench/chaos/strike.ts'
import { startChaosSystem } from '../../bench/chaos/system.ts'
import { randomFrom } from '../../bench/load-guard/random.ts'
import { proxyProgram } from '../scenario/proxies.ts'

const names = ['zone-cut-off', 'webhook-killed', 'zonal-service-deleted', 'etcd-killed']
/** Requests that may fail on either side by chance, as a share of all. */
const margin = 0.01

t.comment(`ingress controller: ${proxyProgram(process.env).name}`)
const random = randomFrom(1)
const system = await startChaosSystem({ rate: 10, random, env: process.env })
t.teardown(() => system.stop())

for (const fault of chooseFaults(allFaults, names, random)) {
  t.test(`${fault.name}: ${fault.title}`, async (t) => {
    const { row, wrong, failures } = await strike(fault, system, 120_000)
    t.comment(JSON.stringify({ ...row, failures }))
    t.strictSame(wrong, [], 'nothing is left wrong')
    t.ok(row.requests > 0, 'there was load')
    t.ok(row.crossZoneAfter <= margin, `${row.crossZoneAfter} crossed after it`)
    if (fault.about !== 'zones') return
    const most = row.failedWithoutZonefirst + margin * row.requests
    t.ok(row.failed <= most, `${row.failed} of ${row.requests} failed, alone ${row.failedWithoutZonefirst}`)
    t.ok(row.failedWithoutZonefirst > row.failed, 'it is felt, and less with zonefirst')
  })
}
