// One fault from calm to calm: load before, during and after, and how long it takes until everything is right again.
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../test/cluster/until.ts'
import { findWrong, isEven } from './check.ts'
import type { Fault } from './fault.ts'
import type { Row } from './result.ts'
import { figuresOf } from './samples.ts'
import { sides } from './sides.ts'
import type { System } from './system.ts'

export interface Struck {
  row: Row
  /** what was still wrong when the time was up, or went wrong with the fault itself */
  wrong: string[]
  failures: Record<string, Record<string, number>>
}

const beforeMs = 2_000
const afterMs = 3_000

export async function strike(fault: Fault, system: System, patienceMs: number): Promise<Struck> {
  const { load, audit, pods } = system
  await calm(system, patienceMs)
  load.forget()
  await pause(beforeMs)
  const writes = audit.count()
  const from = Date.now()
  const wrong = await injectAndHeal(fault, system)
  const healed = Date.now()
  const left = await untilRight(system, patienceMs)
  const right = Date.now()
  const written = audit.count() - writes
  await pause(afterMs)
  const end = Date.now()
  await load.settled()

  const zoneOf = (pod: string) => pods.zoneOf(pod)
  const [during, others, whileIll, after] = [
    figuresOf(load.samples, 'zonefirst', { from, to: right }, zoneOf),
    figuresOf(load.samples, 'alone', { from, to: right }, zoneOf),
    figuresOf(load.samples, 'zonefirst', { from, to: healed }, zoneOf),
    figuresOf(load.samples, 'zonefirst', { from: right, to: end }, zoneOf),
  ]
  const row: Row = {
    name: fault.name,
    requests: during.requests,
    failed: during.failed,
    failedWithoutZonefirst: others.failed,
    p99Ms: during.p99Ms,
    crossZoneDuring: whileIll.crossZone,
    crossZoneAfter: after.crossZone,
    secondsToRight: left.length === 0 ? Math.round((right - healed) / 100) / 10 : null,
    writes: written,
  }
  return {
    row,
    wrong: [...wrong, ...left],
    failures: { zonefirst: during.failures, alone: others.failures },
  }
}

async function injectAndHeal(fault: Fault, system: System): Promise<string[]> {
  const wrong: string[] = []
  const attempt = async (what: string, step: (() => Promise<void>) | undefined) => {
    try {
      await step?.()
    } catch (error) {
      wrong.push(`${what}: ${error instanceof Error ? error.message : error}`)
    }
  }
  await attempt('inject', async () => {
    await fault.inject(system)
    await pause((fault.seconds ?? 0) * 1_000)
  })
  await attempt('heal', fault.heal && (() => fault.heal?.(system) ?? Promise.resolve()))
  return wrong
}

/** What is still wrong when the time is up. */
async function untilRight(system: System, patienceMs: number): Promise<string[]> {
  let wrong: string[] = []
  const look = async () => {
    wrong = await findWrong(system)
    return wrong.length === 0
  }
  await until('everything is right', look, { timeoutMs: patienceMs, intervalMs: 300 }).catch(() => {})
  return wrong
}

/** Everything is right, and as evenly spread as at the start. */
async function calm(system: System, patienceMs: number): Promise<void> {
  const wrong = await untilRight(system, patienceMs)
  if (wrong.length > 0) throw new Error(`before the fault: ${wrong.join('; ')}`)
  if (isEven(system)) return
  await Promise.all(
    sides.map(async ({ namespace }) => {
      await system.cluster.kubectl('-n', namespace, 'rollout', 'restart', 'deployment/web-blue')
      await system.cluster.kubectl('-n', namespace, 'rollout', 'status', 'deployment/web-blue')
    }),
  )
  const still = await untilRight(system, patienceMs)
  if (still.length > 0 || !isEven(system))
    throw new Error(`before the fault: ${still.join('; ') || 'uneven'}`)
}
