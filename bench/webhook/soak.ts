import '../../test/cluster/enter.ts'

// `make bench-soak`: the webhook under a steady load for a bounded time, and what its memory does meanwhile.
import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { speaker } from '../../test/demo/steps.ts'
import { type LoadShape, sendLoad } from './load.ts'
import { buildPeer } from './peer.ts'
import { prepareFiles, residentMiB, startFakeApi, startSubject } from './subjects.ts'
import { type Sample, trendOf } from './trend.ts'

const rate = 200
const podsInCluster = 10_000
const sampleEverySeconds = 5
/** Until then caches fill and the engine compiles: growth is no leak. */
const warmUpShare = 0.3
const say = speaker(process.stdout)
const round = (value: number) => Math.round(value * 10) / 10

async function sampleUntil(pid: number, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = []
  const startedAt = performance.now()
  while (!signal.aborted) {
    samples.push({ seconds: (performance.now() - startedAt) / 1_000, value: await residentMiB(pid) })
    await wait(sampleEverySeconds * 1_000, undefined, { signal }).catch(() => {})
  }
  return samples
}

async function main(): Promise<void> {
  const seconds = Number(process.env.ZONEFIRST_SOAK_SECONDS || 300)
  if (!(seconds >= 60)) throw new Error('ZONEFIRST_SOAK_SECONDS must be a number of seconds, at least 60')
  const programs = await say.step('build the load generator', () => buildPeer(process.env))
  const closeFiles = await prepareFiles()
  const stopApi = await startFakeApi(programs, podsInCluster)
  const running = await startSubject(programs, 'zonefirst')
  const done = new AbortController()
  const sampling = sampleUntil(running.pid, done.signal)
  const load: LoadShape = { name: `${rate} a second`, flags: ['-c=64', `-rate=${rate}`] }
  const measured = await say.step(`${rate} reviews a second for ${seconds} s`, () =>
    sendLoad(programs, running, load, seconds),
  )
  done.abort()
  const samples = await sampling
  await running.stop()
  await stopApi()
  closeFiles()

  const warm = samples.filter((sample) => sample.seconds >= seconds * warmUpShare)
  const [first, last] = [warm[0]?.value ?? Number.NaN, warm.at(-1)?.value ?? Number.NaN]
  const { perHour, uncertaintyPerHour } = trendOf(warm)
  const most = Math.max(perHour + uncertaintyPerHour, 0)
  const result = {
    seconds,
    reviewsPerSecond: measured.reviewsPerSecond,
    p99Ms: measured.p99Ms,
    residentMiB: { afterWarmUp: first, atTheEnd: last },
    growthMiBPerHour: round(perHour),
    uncertaintyMiBPerHour: round(uncertaintyPerHour),
    after24HoursMiB: { ifAsMeasured: round(last + perHour * 24), atMost: round(last + most * 24) },
    samples,
  }
  await mkdir('build', { recursive: true })
  await writeFile('build/bench-soak.json', `${JSON.stringify(result, null, 2)}\n`)
  say.table(
    ['memory, MiB', 'value'],
    [
      ['after warm-up', first],
      ['at the end', last],
      ['growth an hour', `${round(perHour)} ± ${round(uncertaintyPerHour)}`],
    ],
  )
  const span = Math.round(seconds * (1 - warmUpShare))
  say.note(
    perHour > uncertaintyPerHour
      ? `It grew in the ${span} s after warm-up. As a straight line that is ${result.after24HoursMiB.ifAsMeasured} MiB after 24 hours; a longer run tells whether it goes on.`
      : `No growth can be told from noise in the ${span} s after warm-up. A steady leak of up to ${round(most)} MiB an hour could not have been seen in so short a time: that would be ${result.after24HoursMiB.atMost} MiB after 24 hours.`,
  )
}

await main()
process.exit()
