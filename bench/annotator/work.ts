// What the annotator does while something changes: looks at Services, by its metrics, and writes, by the API server's audit
// log. A change is over when both have been quiet for a while.
import { restTime, settleTime } from '../../annotator/load-guard/guard.ts'
import { until } from '../../test/cluster/until.ts'
import type { AuditedWrite } from './audit.ts'
import { annotatorUser, type LargeCluster } from './cluster.ts'
import type { AnnotatorProcess } from './process.ts'

const reconciles = 'zonefirst_annotator_reconcile_seconds_count'
/** No write and no look for so long, and a phase is over: longer than any wait of the load guard's but the rest. */
const quietMs = 12_000
/** Longer than that rest. */
export const settledMs = restTime + settleTime + 5_000

/** What the annotator did between two moments. */
export interface Work {
  reconciles: number
  writes: number
  cpuMs: number
}

/** Until all is quiet again after it. */
export async function measureWork(
  cluster: LargeCluster,
  annotator: AnnotatorProcess,
  change: () => Promise<unknown>,
): Promise<Work> {
  const look = async () => ({
    reconciles: (await annotator.metrics()).get(reconciles) ?? 0,
    writes: ownWrites(await cluster.writes()).filter(isOfObject).length,
    cpuMs: (await annotator.cpuSeconds()) * 1_000,
  })
  const before = await look()
  await change()
  await untilQuiet(cluster, annotator)
  const after = await look()
  return {
    reconciles: after.reconciles - before.reconciles,
    writes: after.writes - before.writes,
    cpuMs: after.cpuMs - before.cpuMs,
  }
}

export async function untilQuiet(
  cluster: LargeCluster,
  annotator: AnnotatorProcess,
  forMs = quietMs,
): Promise<void> {
  let [seen, since] = ['', 0]
  const isQuiet = async () => {
    const writes = ownWrites(await cluster.writes()).filter(isOfObject).length
    const now = `${writes} ${(await annotator.metrics()).get(reconciles)}`
    if (now !== seen) [seen, since] = [now, Date.now()]
    return Date.now() - since >= forMs
  }
  await until('the annotator has no more work', isQuiet, { timeoutMs: 300_000, intervalMs: 1_000 })
}

export function ownWrites(writes: readonly AuditedWrite[]): AuditedWrite[] {
  return writes.filter(({ user }) => user === annotatorUser)
}

export function isOfObject({ resource }: AuditedWrite): boolean {
  return resource !== 'leases' && resource !== 'events'
}
