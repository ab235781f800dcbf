import '../../test/cluster/enter.ts'

// `make bench-restarts`: pods that end, in three ways, under load on every zone at once. What fails with zonefirst and
// without, on the same pods through the same HAProxies at the same time, in several runs of each.
import { mkdir, writeFile } from 'node:fs/promises'
import { integer, list, readSettings } from '../../lib/settings.ts'
import type { Cluster } from '../../test/cluster/cluster.ts'
import { speaker } from '../../test/demo/steps.ts'
import type { ApplicationOptions } from '../../test/scenario/application.ts'
import { median } from '../../test/scenario/median.ts'
import { type Pair, restartUnderLoad } from '../../test/scenario/rolling-restart.ts'
import { programs, runApplication, startSystem, untilRouted, zones } from '../../test/scenario/system.ts'
import { loseZone } from '../../test/scenario/zone-loss.ts'
import { randomFrom } from '../load-guard/random.ts'

const { pairs, seed, rate, only } = readSettings(
  {
    pairs: {
      env: 'RESTARTS_PAIRS',
      parse: integer({ min: 1, max: 100 }),
      default: 5,
      help: 'How often each kind of end is run.',
    },
    seed: {
      env: 'RESTARTS_SEED',
      parse: integer({ min: 1, max: 1_000_000 }),
      default: 1,
      help: 'Decides which zones are lost.',
    },
    rate: {
      env: 'RESTARTS_RATE',
      parse: integer({ min: 1, max: 1_000 }),
      default: 50,
      help: 'Requests a second from each zone to each of the two Services.',
    },
    only: {
      env: 'RESTARTS_ONLY',
      parse: list,
      default: [],
      help: 'Names of the kinds to run, all by default.',
    },
  },
  process.env,
)

interface Kind {
  name: string
  title: string
  app: Partial<ApplicationOptions>
  run: (cluster: Cluster) => Promise<Pair>
}

const random = randomFrom(seed)
const restart = (cluster: Cluster) => restartUnderLoad(cluster, { rate })
const lose = (cluster: Cluster) =>
  loseZone(cluster, { zone: zones[Math.floor(random() * zones.length)] ?? zones[0], rate, seconds: 10 })

const kinds: Kind[] = [
  {
    name: 'drained',
    title: 'rolling restart, pods serve on for 7 s after they are told to stop',
    app: { drainTime: 7 },
    run: restart,
  },
  {
    name: 'graceful',
    title: 'rolling restart, pods finish what they have begun and take nothing new',
    app: {},
    run: restart,
  },
  { name: 'abrupt', title: 'rolling restart, pods die at once', app: { dieAtOnce: true }, run: restart },
  { name: 'lost', title: 'all pods of a zone vanish silently, then return', app: {}, run: lose },
]

const say = speaker(process.stdout)
const used = await programs()
say.note(`ingress controller: ${used.ingressController}, HAProxy ${used.haproxy}`)
const cluster = await say.step('a cluster of three zones with zonefirst and six pods', () => startSystem())

const results = []
for (const { name, title, app, run } of kinds.filter(
  ({ name }) => only.length === 0 || only.includes(name),
)) {
  await say.step(`pods for: ${title}`, async () => {
    await runApplication(cluster, app)
    await untilRouted(cluster)
  })
  const runs: Pair[] = []
  for (let number = 1; number <= pairs; number++) {
    const pair = await say.step(`${title} (${number} of ${pairs})`, () => run(cluster))
    const each = Object.entries(pair).map(
      ([way, { requests, failed, failures, p99Ms }]) =>
        `${way}: ${failed} of ${requests} failed ${failed > 0 ? JSON.stringify(failures) : ''}, p99 ${p99Ms} ms`,
    )
    for (const line of each) say.note(line)
    runs.push(pair)
  }
  results.push({ name, title, ...summary(runs), runs })
}
await cluster.stop()

say.table(
  ['pods end', 'failed with', 'without', 'p99 ms with', 'without', 'failed by run, with / without'],
  results.map(({ name, withZonefirst, without, runs }) => [
    name,
    withZonefirst.failed,
    without.failed,
    withZonefirst.p99Ms,
    without.p99Ms,
    runs.map((run) => `${run.withZonefirst.failed}/${run.without.failed}`).join(' '),
  ]),
)
await mkdir('build', { recursive: true })
const result = { ...used, pairs, seed, rate, results }
await writeFile('build/bench-restarts.json', `${JSON.stringify(result, null, 2)}\n`)
process.exit()

/** Medians of the runs. */
function summary(runs: readonly Pair[]) {
  const of = (way: keyof Pair) => ({
    failed: median(runs.map((run) => run[way].failed)),
    p99Ms: median(runs.map((run) => run[way].p99Ms)),
  })
  return { withZonefirst: of('withZonefirst'), without: of('without') }
}
