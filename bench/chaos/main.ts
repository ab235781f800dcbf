import '../../test/cluster/enter.ts'

// `make chaos`: the whole system through every fault, or those that CHAOS_FAULTS names, with the ingress controller alone
// beside it. Each fault's figures go to build/chaos.json as soon as they are there.
import { integer, list, readSettings } from '../../lib/settings.ts'
import { speaker } from '../../test/demo/steps.ts'
import { proxyProgram } from '../../test/scenario/proxies.ts'
import { randomFrom } from '../load-guard/random.ts'
import { chooseFaults } from './choose.ts'
import { allFaults, namesOfFaults } from './faults/all.ts'
import { type Row, readResult, withRow, writeResult } from './result.ts'
import { type Struck, strike } from './strike.ts'
import { startChaosSystem } from './system.ts'

const file = 'build/chaos.json'
const patienceMs = 90_000
const mostMinutes = 40

const { seed, names, rate } = readSettings(
  {
    seed: {
      env: 'CHAOS_SEED',
      parse: integer({ min: 0, max: 2 ** 31 }),
      default: 1,
      help: 'The same seed chooses the same order, and the same zones and pods to strike.',
    },
    names: {
      env: 'CHAOS_FAULTS',
      parse: list,
      default: [] as string[],
      help: 'The faults to make, in this order; without it, all.',
    },
    rate: {
      env: 'CHAOS_RATE',
      parse: integer({ min: 1, max: 1_000 }),
      default: 20,
      help: 'Requests a second to each ingress controller.',
    },
  },
  process.env,
)

const say = speaker(process.stdout)
const random = randomFrom(seed)
const faults = chooseFaults(allFaults, names, random)
say.note(`seed ${seed}, ${faults.length} faults, ingress controller: ${proxyProgram(process.env).name}`)
const start = () =>
  say.step('a cluster of three zones, two sides of the application, load on both', () =>
    startChaosSystem({ rate, random, env: process.env }),
  )
let system = await start()

const rows: Row[] = []
const wrong: string[] = []
const noteWrong = (text: string) => {
  wrong.push(text)
  say.note(`WRONG ${text}`)
}
for (const fault of faults) {
  if (performance.now() > mostMinutes * 60_000) {
    noteWrong(`${fault.name}: not begun, the ${mostMinutes} minutes are over`)
    continue
  }
  try {
    const struck = await say.step(`${fault.name}: ${fault.title}`, () => strike(fault, system, patienceMs))
    rows.push(struck.row)
    const before = readResult(file)?.faults ?? []
    writeResult(file, withRow({ seed, faults: before }, struck.row, namesOfFaults))
    for (const line of describe(struck)) say.note(line)
    for (const each of struck.wrong) noteWrong(`${fault.name}: ${each}`)
    if (struck.row.secondsToRight !== null) continue
  } catch (error) {
    noteWrong(`${fault.name}: ${(error as Error).message}`)
  }
  // the next fault is to find everything right
  await system.stop()
  system = await start()
}
await system.stop()

say.table(
  ['fault', 'requests', 'failed', 'alone', 'p99 ms', 'crossed', 'after', 'right after s', 'writes'],
  rows.map((row) => Object.values(row).map((value) => value ?? 'never')),
)
for (const each of wrong) say.note(`WRONG ${each}`)
process.exit(wrong.length > 0 ? 1 : 0)

function describe({ row, failures }: Struck): string[] {
  const { requests, failed, failedWithoutZonefirst, secondsToRight, crossZoneDuring } = row
  const share = (crossZoneDuring * 100).toFixed(1)
  return [
    `of ${requests} requests failed ${failed}, without zonefirst ${failedWithoutZonefirst}; ${share} % crossed; right after ${secondsToRight ?? '∞'} s`,
    ...(failed + failedWithoutZonefirst > 0 ? [JSON.stringify(failures)] : []),
  ]
}
