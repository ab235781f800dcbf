import '../../test/cluster/enter.ts'

// `make bench-annotator`: the annotator on a real API server with pods that exist by their status alone. A control plane of
// its own for each number of Services; the last one is measured in full.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { integer, list, readSettings } from '../../lib/settings.ts'
import { speaker } from '../../test/demo/steps.ts'
import { fill, type LargeCluster, startLargeCluster } from './cluster.ts'
import {
  measureCold,
  measureEvents,
  measureIdle,
  measureOnePod,
  measureRollingRestart,
  type PerEvent,
} from './measure.ts'
import { podsPerService, zones } from './objects.ts'
import type { Memory } from './process.ts'

const settings = readSettings(
  {
    sizes: {
      env: 'ANNOTATOR_BENCH_SERVICES',
      parse: list,
      default: ['100', '300', '1000'],
      help: 'Numbers of Services, the last one for everything; each has ten pods.',
    },
    only: {
      env: 'ANNOTATOR_BENCH_ONLY',
      parse: list,
      default: [],
      help: 'Of these numbers those to measure now: the others’ figures stay as the last run left them.',
    },
    idleSeconds: {
      env: 'ANNOTATOR_BENCH_IDLE_SECONDS',
      parse: integer({ min: 1, max: 3_600 }),
      default: 300,
      help: 'How long it is watched when nothing changes.',
    },
    events: {
      env: 'ANNOTATOR_BENCH_EVENTS',
      parse: integer({ min: 20, max: 10_000 }),
      default: 400,
      help: 'How many changes of a pod are measured at each size.',
    },
    restartedPods: {
      env: 'ANNOTATOR_BENCH_RESTARTED_PODS',
      parse: integer({ min: podsPerService, max: 10_000 }),
      default: 1_000,
      help: 'How many pods a rolling restart replaces.',
    },
  },
  process.env,
)
const say = speaker(process.stdout)
const round = (value: number, digits = 1) => Number(value.toFixed(digits))

async function withCluster<T>(services: number, work: (cluster: LargeCluster) => Promise<T>): Promise<T> {
  const cluster = await say.step(
    `a control plane with ${services} Services, ${services * podsPerService} pods`,
    async () => {
      const started = await startLargeCluster()
      await fill(started, services)
      return started
    },
  )
  try {
    return await work(cluster)
  } finally {
    await cluster.stop()
  }
}

function sayMemory({ residentMiB, peakMiB, heapMiB }: Memory): void {
  say.note(`memory ${residentMiB} MiB, ${peakMiB} MiB at most; objects take ${heapMiB} MiB of it`)
}

/** Everything that is measured at every size. */
async function measureSize(cluster: LargeCluster, services: number) {
  const { annotator, cold } = await say.step('cold start', () => measureCold(cluster, services))
  say.note(
    `converged ${round(cold.seconds)} s after its start, with ${round(cold.cpuSeconds)} s of processor time`,
  )
  const { median, p99 } = cold.answerMs
  say.note(`the API server took ${round(median)} ms for a write, ${round(p99)} ms for one of a hundred`)
  sayMemory(cold.memory)
  say.table(
    ['written', 'objects', 'writes', 'most of one'],
    Object.entries(cold.writes).map(([resource, { objects, writes, most }]) => [
      resource,
      objects,
      writes,
      most,
    ]),
  )
  for (const { repeated } of Object.values(cold.writes)) for (const each of repeated) say.note(each)
  const perEvent = await say.step(`${settings.events} changes of a pod`, () =>
    measureEvents(cluster, annotator, services, settings.events),
  )
  return { annotator, cold, perEvent }
}

/** Idle last, once the load guard has nothing left to do: it takes its time between moves. */
async function measureAll(cluster: LargeCluster) {
  const { annotator, cold, perEvent } = await measureSize(cluster, services)
  const onePod = await say.step('one pod changes, one proxy', () => measureOnePod(cluster, annotator))
  const pods = Math.min(settings.restartedPods, services * podsPerService)
  const restart = await say.step(`a rolling restart of ${pods} pods`, () =>
    measureRollingRestart(cluster, annotator, pods),
  )
  const idle = await say.step(`nothing changes, ${settings.idleSeconds} s`, () =>
    measureIdle(cluster, annotator, settings.idleSeconds),
  )
  const memory = await annotator.memory()
  await annotator.stop()
  return { cold, perEvent, onePod, restart, idle, memory }
}

interface Details extends Partial<Omit<Awaited<ReturnType<typeof measureAll>>, 'perEvent'>> {
  perEvent: Record<string, PerEvent>
}

const detailsFile = 'build/bench-annotator-details.json'
const sizes = settings.sizes.map(Number)
const services = sizes.at(-1) ?? 0
const isMeasured = (size: number) => settings.only.length === 0 || settings.only.includes(String(size))
const earlier: Details = await readFile(detailsFile, 'utf8').then(JSON.parse, () => ({ perEvent: {} }))
let details: Details = isMeasured(services) ? { perEvent: {} } : { ...earlier, perEvent: {} }
for (const size of sizes) {
  const before = earlier.perEvent[size]
  if (!isMeasured(size)) {
    if (before) details.perEvent[size] = before
    continue
  }
  await withCluster(size, async (cluster) => {
    const { perEvent, ...more } =
      size === services ? await measureAll(cluster) : await measureOnly(cluster, size)
    details = { ...details, ...more, perEvent: { ...details.perEvent, [size]: perEvent } }
  })
}

async function measureOnly(cluster: LargeCluster, size: number): Promise<{ perEvent: PerEvent }> {
  const { annotator, perEvent } = await measureSize(cluster, size)
  await annotator.stop()
  return { perEvent }
}

say.table(
  ['Services', 'event to write, median', '99 %', 'processor time', 'looks'],
  Object.entries(details.perEvent).map(([size, { medianMs, p99Ms, cpuMs, reconciles }]) => [
    size,
    `${round(medianMs)} ms`,
    `${round(p99Ms)} ms`,
    `${round(cpuMs, 2)} ms`,
    round(reconciles, 2),
  ]),
)
await mkdir('build', { recursive: true })
await writeFile(detailsFile, `${JSON.stringify(details, null, 2)}\n`)
const { cold, onePod, restart, idle, memory } = details
if (cold && onePod && restart && idle && memory) {
  say.table(
    [`${services} Services`, 'looks', 'writes', 'processor time'],
    [
      ...Object.entries(onePod).map(([what, work]) => [what, work] as const),
      [`${restart.pods} pods replaced in ${round(restart.seconds)} s`, restart] as const,
      [`idle for ${settings.idleSeconds} s`, idle] as const,
    ].map(([what, { reconciles, writes, cpuMs }]) => [what, reconciles, writes, `${round(cpuMs)} ms`]),
  )
  sayMemory(memory)
  const dns = await readFile('build/bench-dns.json', 'utf8').then(JSON.parse, () => ({ rows: [] }))
  const result = {
    services,
    pods: services * podsPerService,
    zones: zones.length,
    coldSeconds: round(cold.seconds),
    idleWrites: idle.writes,
    residentMB: round(memory.peakMiB * 1.048576),
    perEventMs: Object.fromEntries(
      Object.entries(details.perEvent).map(([size, { medianMs }]) => [size, round(medianMs, 2)]),
    ),
    dns: dns.rows,
  }
  await writeFile('build/bench-annotator.json', `${JSON.stringify(result, null, 2)}\n`)
  say.note(JSON.stringify(result))
}
process.exit()
