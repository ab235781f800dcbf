// A HAProxy, with a relay between it and CoreDNS, for each kind of failure and setting, and what is noted of them all at once.
import { setTimeout as pause } from 'node:timers/promises'
import { dnsAddress } from '../../test/cluster/network.ts'
import { until } from '../../test/cluster/until.ts'
import { backendName, dialects, renderBackends } from '../../test/haproxy/backends.ts'
import { auxiliaryText } from '../../test/haproxy/configuration.ts'
import { randomFrom } from '../load-guard/random.ts'
import { name, namespace, remote, staying, zone } from './cluster.ts'
import { countQuestions, startResolvingHAProxy } from './haproxy.ts'
import { type Condition, whole } from './loss.ts'
import { startRelay } from './relay.ts'
import { sectionOf, titleOf, type Variant } from './settings.ts'
import { startWatch, type Tally } from './watch.ts'

export type Row = Awaited<ReturnType<typeof startRow>>
export type Figure = 'added' | 'removed' | 'last'

export interface RowOptions {
  program: string
  condition: Condition
  variant: Variant
  /** its own number among all rows */
  index: number
  seed: number
}

export async function startRow({ program, condition, variant, index, seed }: RowOptions) {
  const sketch = { namespace, name, dialect: dialects.annotation, endpoints: [remote.address] }
  const backend = renderBackends([sketch]).get(backendName(sketch)) ?? ''
  const behind = { address: dnsAddress, port: 53 }
  const relay = await startRelay({ port: 6_000 + index, behind, random: randomFrom(seed + index) })
  const haproxy = await startResolvingHAProxy(program, {
    folder: `/run/haproxy-${index}`,
    backend,
    resolvers: sectionOf(variant, auxiliaryText, relay.address),
    zone,
  })
  const watch = startWatch({ haproxy, backend: backendName(sketch), remote: remote.address })
  const seconds: Record<Figure, number[]> = { added: [], removed: [], last: [] }
  return { title: titleOf(variant), condition, relay, haproxy, watch, seconds, asked: { rest: 0, absent: 0 } }
}

export async function stopRows(rows: readonly Row[]): Promise<void> {
  await Promise.all(
    rows.map(async ({ watch, haproxy, relay }) => {
      await watch.stop()
      await haproxy.stop()
      relay.close()
    }),
  )
}

/** Whether the pod that stays has to be there from now on. */
export function expectStaying(rows: readonly Row[], isThere: boolean): void {
  for (const { watch } of rows) watch.expect(isThere ? staying.address : undefined)
}

/** Without any fault, so that every round begins alike. */
export async function untilAllKnow(rows: readonly Row[], address: string): Promise<void> {
  for (const { relay } of rows) relay.set(whole)
  const all = () => rows.every(({ watch }) => watch.addresses.has(address))
  await until('all have the address', all, { timeoutMs: 90_000 })
  for (const { relay, condition } of rows) relay.set(condition)
}

/** Notes the seconds from now until each HAProxy's addresses are so: Infinity where it takes more than the patience. */
export async function note(
  rows: readonly Row[],
  figure: Figure,
  isSo: (addresses: ReadonlySet<string>) => boolean,
  patienceSeconds: number,
): Promise<void> {
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 1_000
  await Promise.all(
    rows.map(async ({ watch, seconds }) => {
      while (!isSo(watch.addresses) && passed() < patienceSeconds) await pause(50)
      seconds[figure].push(isSo(watch.addresses) ? passed() : Number.POSITIVE_INFINITY)
    }),
  )
}

export interface Outage {
  title: string
  questionsPerSecond: number
  tally: Tally
  /** seconds from its end until all is as before */
  back: number
}

/** What becomes of rows while their DNS is away. */
export async function outage(
  rows: readonly Row[],
  seconds: number,
  { leave, comeBack }: { leave(row: Row): void; comeBack(row: Row): void | Promise<void> },
): Promise<Outage[]> {
  await untilAllKnow(rows, staying.address)
  expectStaying(rows, true)
  const before = rows.map(({ watch }) => watch.tally())
  for (const row of rows) leave(row)
  const rates = await countQuestions(rows, seconds)
  for (const row of rows) await comeBack(row)
  const startedAt = performance.now()
  const back = await Promise.all(
    rows.map(async ({ watch }) => {
      await until('the address is back', () => watch.addresses.has(staying.address), { timeoutMs: 60_000 })
      return (performance.now() - startedAt) / 1_000
    }),
  )
  // so that requests are answered by it as well
  await pause(1_000)
  return rows.map(({ title, watch }, index) => ({
    title,
    questionsPerSecond: rates[index] ?? Number.NaN,
    tally: since(watch.tally(), before[index]),
    back: back[index] ?? Number.NaN,
  }))
}

function since(now: Tally, before: Tally | undefined): Tally {
  const difference = (key: keyof Tally) => now[key] - (before?.[key] ?? 0)
  return {
    requests: difference('requests'),
    failed: difference('failed'),
    outside: difference('outside'),
    missingSeconds: difference('missingSeconds'),
  }
}
