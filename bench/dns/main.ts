import '../../test/cluster/enter.ts'

// `make bench-dns`: what resolvers settings cost in questions, and how soon HAProxy then knows of a pod that came or went:
// real HAProxy, CoreDNS, API server and EndpointSlices. All settings are measured at once, by a HAProxy each.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { integer, readSettings } from '../../lib/settings.ts'
import { findHAProxy } from '../../test/cluster/haproxy.ts'
import { dnsAddress } from '../../test/cluster/network.ts'
import { until } from '../../test/cluster/until.ts'
import { speaker } from '../../test/demo/steps.ts'
import { backendName, dialects, renderBackends } from '../../test/haproxy/backends.ts'
import { auxiliaryText } from '../../test/haproxy/configuration.ts'
import { median } from '../../test/scenario/median.ts'
import { moving, name, namespace, startZonalService, staying, zone } from './cluster.ts'
import { countQuestions, type ResolvingHAProxy, startResolvingHAProxy } from './haproxy.ts'
import { sectionOf, titleOf, variants } from './settings.ts'

const { rounds, restSeconds } = readSettings(
  {
    rounds: {
      env: 'DNS_BENCH_ROUNDS',
      parse: integer({ min: 1, max: 1_000 }),
      default: 10,
      help: 'How often a pod comes and goes.',
    },
    restSeconds: {
      env: 'DNS_BENCH_REST_SECONDS',
      parse: integer({ min: 1, max: 3_600 }),
      default: 30,
      help: 'For how long questions are counted while nothing changes.',
    },
  },
  process.env,
)
const say = speaker(process.stdout)
const round = (value: number, digits = 2) => Number(value.toFixed(digits))

interface Row {
  title: string
  haproxy: ResolvingHAProxy
  questionsPerSecond: number
  added: number[]
  removed: number[]
  lastRemoved: number[]
}

const program = findHAProxy(process.env)
if (program === undefined) throw new Error('no HAProxy: set HAPROXY to one')

async function startRows(): Promise<Row[]> {
  const sketch = { namespace, name, dialect: dialects.annotation, endpoints: [] }
  const backend = renderBackends([sketch]).get(backendName(sketch)) ?? ''
  const nameserver = `${dnsAddress}:53`
  return Promise.all(
    variants.map(async (variant, index) => {
      const resolvers = sectionOf(variant, auxiliaryText, nameserver)
      const folder = `/run/haproxy-${index}`
      const haproxy = await startResolvingHAProxy(program as string, { folder, backend, resolvers, zone })
      return {
        title: titleOf(variant),
        haproxy,
        questionsPerSecond: 0,
        added: [],
        removed: [],
        lastRemoved: [],
      }
    }),
  )
}

/** Seconds from now until each HAProxy has the pod's address, or has it no more. */
async function react(rows: readonly Row[], address: string, isThere: boolean): Promise<number[]> {
  const startedAt = performance.now()
  return Promise.all(
    rows.map(async ({ title, haproxy }) => {
      const isSo = async () => (await haproxy.addresses()).has(address) === isThere
      const what = `"${title}" ${isThere ? 'has' : 'has lost'} ${address}`
      await until(what, isSo, { timeoutMs: 90_000, intervalMs: 50 })
      return (performance.now() - startedAt) / 1_000
    }),
  )
}

const cluster = await say.step('a cluster with a zonal Service', startZonalService)
const rows = await say.step(`${variants.length} HAProxys`, startRows)
await react(rows, staying.address, true)
await say.step(`at rest, ${restSeconds} s`, async () => {
  const rates = await countQuestions(rows, restSeconds)
  for (const [index, row] of rows.entries()) row.questionsPerSecond = rates[index] ?? Number.NaN
})
const note = (key: 'added' | 'removed' | 'lastRemoved', seconds: readonly number[]) => {
  for (const [index, row] of rows.entries()) row[key].push(seconds[index] ?? Number.NaN)
}
await say.step(`a pod comes and goes, ${rounds} times`, async () => {
  for (let count = 0; count < rounds; count++) {
    // at any moment between two questions
    await pause(Math.random() * 5_000)
    await cluster.createPod(moving)
    await cluster.setStatus(moving, true)
    note('added', await react(rows, moving.address, true))
    await pause(Math.random() * 5_000)
    await cluster.deletePod(moving)
    note('removed', await react(rows, moving.address, false))
  }
})
await say.step('the last pod goes', async () => {
  for (let count = 0; count < Math.ceil(rounds / 3); count++) {
    await cluster.deletePod(staying)
    note('lastRemoved', await react(rows, staying.address, false))
    await cluster.createPod(staying)
    await cluster.setStatus(staying, true)
    await react(rows, staying.address, true)
    await pause(Math.random() * 5_000)
  }
})
await Promise.all(rows.map(({ haproxy }) => haproxy.stop()))
await cluster.stop()

say.table(
  ['settings', 'questions/s', 'added, s', 'most', 'removed, s', 'most', 'the last one, s'],
  rows.map(({ title, questionsPerSecond, added, removed, lastRemoved }) => [
    title,
    round(questionsPerSecond),
    round(median(added)),
    round(Math.max(...added)),
    round(median(removed)),
    round(Math.max(...removed)),
    round(median(lastRemoved)),
  ]),
)
const result = rows.map(({ title, questionsPerSecond, added, removed }) => ({
  settings: title,
  questionsPerSecond: round(questionsPerSecond),
  // the slower way: a pod that HAProxy still has is where requests fail
  reactionSeconds: round(Math.max(median(added), median(removed))),
}))
await mkdir('build', { recursive: true })
await writeFile('build/bench-dns.json', `${JSON.stringify({ rows: result }, null, 2)}\n`)
const file = 'build/bench-annotator.json'
const annotator = await readFile(file, 'utf8').catch(() => undefined)
if (annotator !== undefined)
  await writeFile(file, `${JSON.stringify({ ...JSON.parse(annotator), dns: result }, null, 2)}\n`)
process.exit()
