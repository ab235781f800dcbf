import '../../test/cluster/enter.ts'

// `make bench-webhook`: our webhook beside a Go webhook that does the same job, in one run, under the same load in turn.
import { mkdir, writeFile } from 'node:fs/promises'
import { speaker } from '../../test/demo/steps.ts'
import { median } from '../../test/scenario/median.ts'
import { type LoadShape, loads, type Measured, sendLoad } from './load.ts'
import { buildPeer, type PeerPrograms, type Subject } from './peer.ts'
import { prepareFiles, residentMiB, startFakeApi, startSubject } from './subjects.ts'

const rounds = 3
const seconds = 4
const podsUnderLoad = 1_000
const podsInMemory = [0, 10_000, 100_000]
const loadedSubjects: readonly Subject[] = [
  'zonefirst',
  'lean peer',
  'peer as Envoy Gateway does it',
  'bare fastify',
]
const subjectsInMemory: readonly Subject[] = [
  'zonefirst',
  'lean peer',
  'peer as Envoy Gateway does it',
  'peer, metadata only',
]
const allSubjects = [...new Set([...loadedSubjects, ...subjectsInMemory])]
const say = speaker(process.stdout)

type Row = { subject: Subject; figure: string; value: number }

/** Each round runs every subject once, so that a machine that slows down slows all. */
async function measureLoads(programs: PeerPrograms): Promise<Row[]> {
  const seen = new Map<string, { subject: Subject; load: LoadShape; runs: Measured[] }>()
  const readyTimes = new Map<Subject, number[]>()
  const stopApi = await startFakeApi(programs, podsUnderLoad)
  for (let round = 1; round <= rounds; round++) {
    for (const subject of loadedSubjects) {
      await say.step(`round ${round} of ${rounds}: ${subject}`, async () => {
        const running = await startSubject(programs, subject)
        readyTimes.set(subject, [...(readyTimes.get(subject) ?? []), running.readyMs])
        for (const load of loads) {
          const entry = seen.get(`${subject} ${load.name}`) ?? { subject, load, runs: [] }
          entry.runs.push(await sendLoad(programs, running, load, seconds))
          seen.set(`${subject} ${load.name}`, entry)
        }
        await running.stop()
      })
    }
  }
  await stopApi()
  const rows = [...seen.values()].flatMap(({ subject, load, runs }) =>
    (Object.keys(runs[0] ?? {}) as (keyof Measured)[]).map((figure) => ({
      subject,
      figure: `${load.name}: ${figure}`,
      value: median(runs.map((run) => run[figure])),
    })),
  )
  const ready = [...readyTimes].map(([subject, times]) => ({
    subject,
    figure: 'readyMs',
    value: median(times),
  }))
  return [...rows, ...ready]
}

/** After a load, since that is when memory counts. */
async function measureMemory(programs: PeerPrograms): Promise<Row[]> {
  const rows: Row[] = []
  for (const pods of podsInMemory) {
    await say.step(`memory with ${pods} pods in the cluster`, async () => {
      const stopApi = await startFakeApi(programs, pods)
      for (const subject of subjectsInMemory) {
        const running = await startSubject(programs, subject)
        const [, light] = loads
        if (pods > 0 && light) await sendLoad(programs, running, light, seconds)
        rows.push({ subject, figure: `${pods} pods: residentMiB`, value: await residentMiB(running.pid) })
        await running.stop()
      }
      await stopApi()
    })
  }
  return rows
}

function figureOf(rows: readonly Row[], subject: Subject, figure: string): number {
  return rows.find((row) => row.subject === subject && row.figure === figure)?.value ?? Number.NaN
}

function ratiosTo(rows: readonly Row[], peer: Subject): Record<string, number> {
  const ratio = (figure: string) =>
    Math.round((figureOf(rows, 'zonefirst', figure) / figureOf(rows, peer, figure)) * 1_000) / 1_000
  return {
    throughputAt64: ratio('64 connections: reviewsPerSecond'),
    p99At500: ratio('500 a second: p99Ms'),
    p99At2000: ratio('2000 a second: p99Ms'),
    memoryAt100k: ratio('100000 pods: residentMiB'),
  }
}

async function main(): Promise<void> {
  const programs = await say.step('build the peer', () => buildPeer(process.env))
  const closeFiles = await prepareFiles()
  const rows = [...(await measureLoads(programs)), ...(await measureMemory(programs))]
  closeFiles()
  const figures = [...new Set(rows.map(({ figure }) => figure))]
  say.table(
    ['figure', ...allSubjects],
    figures.map((figure) => [
      figure,
      ...allSubjects.map((subject) => {
        const value = figureOf(rows, subject, figure)
        return Number.isNaN(value) ? '-' : value
      }),
    ]),
  )
  const { memoryAt100k: _, ...ratiosToBareFastify } = ratiosTo(rows, 'bare fastify')
  const result = {
    ratios: ratiosTo(rows, 'lean peer'),
    ratiosToEnvoyGatewayWay: ratiosTo(rows, 'peer as Envoy Gateway does it'),
    // what fastify and Node's TLS leave us at best, here and now
    ratiosToBareFastify,
    ratiosToMetadataOnly: { memoryAt100k: ratiosTo(rows, 'peer, metadata only').memoryAt100k },
    rows,
  }
  await mkdir('build', { recursive: true })
  await writeFile('build/bench-webhook.json', `${JSON.stringify(result, null, 2)}\n`)
  const { rows: _rows, ...ratios } = result
  say.note(JSON.stringify(ratios))
}

await main()
process.exit()
