import '../../test/cluster/enter.ts'

// `make bench-dns-loss`: how soon HAProxy knows of pods, what it asks and what becomes of requests while the DNS loses
// questions, is late or is away, by how often HAProxy asks again. A HAProxy and a relay for each setting and kind of failure,
// all at once: figures of one run compare, those of several only roughly.
import { setTimeout as pause } from 'node:timers/promises'
import { integer, readSettings } from '../../lib/settings.ts'
import { findHAProxy } from '../../test/cluster/haproxy.ts'
import { speaker } from '../../test/demo/steps.ts'
import { median } from '../../test/scenario/median.ts'
import { randomFrom } from '../load-guard/random.ts'
import { moving, remote, startZonalService, staying } from './cluster.ts'
import { countQuestions } from './haproxy.ts'
import { conditions, denying, retries, silent, whole } from './loss.ts'
import {
  expectStaying,
  note,
  type Outage,
  outage,
  type Row,
  startRow,
  stopRows,
  untilAllKnow,
} from './loss-rows.ts'
import { addAnsweringPod } from './pods.ts'
import type { Tally } from './watch.ts'

const { rounds, restSeconds, awaySeconds, seed } = readSettings(
  {
    rounds: {
      env: 'DNS_BENCH_ROUNDS',
      parse: integer({ min: 1, max: 1_000 }),
      default: 8,
      help: 'How often a pod comes and goes.',
    },
    restSeconds: {
      env: 'DNS_BENCH_REST_SECONDS',
      parse: integer({ min: 1, max: 3_600 }),
      default: 40,
      help: 'For how long questions are counted while nothing changes.',
    },
    awaySeconds: {
      env: 'DNS_BENCH_AWAY_SECONDS',
      parse: integer({ min: 1, max: 3_600 }),
      default: 60,
      help: 'For how long the DNS is away.',
    },
    seed: {
      env: 'DNS_BENCH_SEED',
      parse: integer({ min: 0, max: 2 ** 31 }),
      default: 1,
      help: 'Chooses the questions that are lost.',
    },
  },
  process.env,
)
/** What is not known by then is not waited for; of the last pod's end, HAProxy hears after 30 s in any case. */
const [patienceSeconds, lastPatienceSeconds] = [25, 45]
/** For how long a pod serves on that has been taken out of its Service. */
const drainSeconds = 7
/** Shorter than what the installed section needs to believe it. */
const denialSeconds = 1.2

const say = speaker(process.stdout)
const random = randomFrom(seed)
const anyMoment = () => pause(random() * 2_000)
const program = findHAProxy(process.env)
if (program === undefined) throw new Error('no HAProxy: set HAPROXY to one')

const cluster = await say.step('a cluster with a zonal Service', startZonalService)
const answering = new Map(
  await Promise.all(
    [staying, moving, remote].map(async ({ address }) => [address, await addAnsweringPod(address)] as const),
  ),
)
await answering.get(staying.address)?.start()
await answering.get(remote.address)?.start()
const come = async (pod: typeof staying) => {
  await cluster.createPod(pod)
  await cluster.setStatus(pod, true)
}
const go = async (pod: typeof staying) => {
  await cluster.deletePod(pod)
  const drained = pause(drainSeconds * 1_000).then(() => answering.get(pod.address)?.finish())
  return { drained }
}

const combinations = conditions.flatMap((condition) => retries.map((variant) => ({ condition, variant })))
const rows = await say.step(`${combinations.length} HAProxys`, async () => {
  const started: Row[] = []
  for (const combination of combinations)
    started.push(await startRow({ ...combination, program, index: started.length, seed }))
  await untilAllKnow(started, staying.address)
  return started
})
expectStaying(rows, true)

await say.step(`at rest, ${restSeconds} s`, async () => {
  const rates = await countQuestions(rows, restSeconds)
  for (const [index, row] of rows.entries()) row.asked.rest = rates[index] ?? Number.NaN
})
await say.step(`a pod comes and goes, ${rounds} times`, async () => {
  for (let count = 0; count < rounds; count++) {
    await anyMoment()
    await answering.get(moving.address)?.start()
    await come(moving)
    await note(rows, 'added', (addresses) => addresses.has(moving.address), patienceSeconds)
    await anyMoment()
    // who never heard of it can't hear of its end
    const knowing = rows.filter(({ watch }) => watch.addresses.has(moving.address))
    const { drained } = await go(moving)
    const isGone = (addresses: ReadonlySet<string>) => !addresses.has(moving.address)
    await note(knowing, 'removed', isGone, patienceSeconds)
    await drained
  }
})
const lossy = rows.map(({ watch }) => watch.tally())

await say.step('the last pod goes', async () => {
  for (let count = 0; count < Math.ceil(rounds / 2); count++) {
    expectStaying(rows, false)
    await untilAllKnow(rows, staying.address)
    await anyMoment()
    const { drained } = await go(staying)
    await note(rows, 'last', (addresses) => !addresses.has(staying.address), lastPatienceSeconds)
    await drained
    if (count === 0) {
      const rates = await countQuestions(rows, restSeconds / 2)
      for (const [index, row] of rows.entries()) row.asked.absent = rates[index] ?? Number.NaN
    }
    await answering.get(staying.address)?.start()
    await come(staying)
  }
  await untilAllKnow(rows, staying.address)
})
const failed = rows.map(({ watch }) => watch.tally().failed)

const lossless = rows.filter(({ condition }) => condition === whole)
await stopRows(rows.filter((row) => !lossless.includes(row)))
const comeBack = ({ relay }: Row) => relay.set(whole)
const awayFor = `${awaySeconds} s`
const outages = {
  'nobody answers': await say.step(`nobody answers, ${awayFor}`, () =>
    outage(lossless, awaySeconds, { leave: ({ relay }) => relay.set(silent), comeBack }),
  ),
  'nobody listens': await say.step(`nobody listens, ${awayFor}`, () =>
    outage(lossless, awaySeconds, {
      leave: ({ relay }) => relay.close(),
      comeBack: ({ relay }) => relay.open(),
    }),
  ),
}
const denials = await say.step(
  `for ${denialSeconds} s the name does not exist, ${rounds} times`,
  async () => {
    const all: Outage[][] = []
    for (let count = 0; count < rounds; count++) {
      await anyMoment()
      const leave = ({ relay }: Row) => relay.set(denying)
      all.push(await outage(lossless, denialSeconds, { leave, comeBack }))
    }
    return all
  },
)
await stopRows(lossless)
await cluster.stop()

const round = (value: number) => (Number.isFinite(value) ? Number(value.toFixed(2)) : 'later')
const figures = (seconds: readonly number[]) =>
  seconds.length === 0 ? ['-', '-'] : [round(median(seconds)), round(Math.max(...seconds))]
say.table(
  [
    ...['DNS', 'settings', 'q/s at rest', 'q/s, no name', 'added, s', 'most', 'removed, s', 'most'],
    ...['the last one, s', 'most', 'missing, s', 'outside', 'requests', 'failed'],
  ],
  rows.map(({ title, condition, asked, seconds }, index) => [
    condition.title,
    title,
    round(asked.rest),
    round(asked.absent),
    ...figures(seconds.added),
    ...figures(seconds.removed),
    ...figures(seconds.last),
    round(lossy[index]?.missingSeconds ?? Number.NaN),
    lossy[index]?.outside ?? Number.NaN,
    lossy[index]?.requests ?? Number.NaN,
    failed[index] ?? Number.NaN,
  ]),
)
say.table(
  ['away', 'settings', 'q/s', 'missing, s', 'outside', 'requests', 'failed', 'back after, s'],
  Object.entries(outages).flatMap(([kind, results]) =>
    results.map(({ title, questionsPerSecond, tally, back }) => [
      kind,
      title,
      round(questionsPerSecond),
      round(tally.missingSeconds),
      tally.outside,
      tally.requests,
      tally.failed,
      round(back),
    ]),
  ),
)
say.table(
  ['denied', 'missing, times', 'missing, s', 'outside', 'failed'],
  lossless.map(({ title }, index) => {
    const tallies = denials.flatMap((each) => each[index]?.tally ?? [])
    const sum = (key: keyof Tally) => tallies.reduce((total, tally) => total + tally[key], 0)
    const times = tallies.filter(({ missingSeconds }) => missingSeconds > 0).length
    return [title, times, round(sum('missingSeconds')), sum('outside'), sum('failed')]
  }),
)
process.exit()
