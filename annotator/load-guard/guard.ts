// Pure: whether to keep today's assignment or to move to the best one. Moves are rare: an overload has to last, unless it
// is a bad one, a gain has to be worth it, and between two moves some time passes. Each moved pod is a write, and a
// change that HAProxy hears of by DNS.
import type { Pod } from './assign.ts'
import { planLoad, weigh } from './plan-load.ts'

export interface GuardOptions {
  /** by zone key, adding up to 1 */
  shares: ReadonlyMap<string, number>
  /** ready ones */
  pods: readonly Pod[]
  /** the most that a pod may carry, as a multiple of its fair share */
  bound: number
  now: number
  memory: GuardMemory
  /** No traffic goes by these pods' zones yet: a move disturbs nothing, and has not to wait. */
  isNew: boolean
}

/** ms of the clock; lost at a restart, which only waits anew. */
export interface GuardMemory {
  /** since when a move has been called for */
  calledSince?: number
  movedAt?: number
}

export interface Guarded {
  /** by pod name, for every pod given; undefined: none */
  serves: ReadonlyMap<string, string | undefined>
  memory: GuardMemory
  /** ms until time alone could make it move */
  lookAgainIn?: number
}

/** A call to move has to last so long. */
export const settleTime = 10_000
/** Between two moves that only let less traffic cross. */
export const restTime = 60_000
/** What such a move has to gain, as a share of all traffic. */
const worthwhile = 0.05
/** An overload so many times over the bound doesn't wait. */
const badOverload = 2
const tolerance = 1e-9

/** Undefined where pods that may serve no zone but their own overload somebody whatever is done. */
export function guard({ shares, pods, bound, now, memory, isNew }: GuardOptions): Guarded | undefined {
  const today = adoptNewcomers(pods)
  const keep = { serves: new Map(today.map(({ name, serves }) => [name, serves])) }
  const { worst, crossing } = weigh(shares, today)
  const isOverloaded = worst > bound + tolerance
  const { movedAt } = memory
  const moved = movedAt === undefined ? {} : { movedAt }
  const gain = isNew ? tolerance : worthwhile
  if (!isOverloaded && crossing < gain) return { ...keep, memory: moved }
  const best = planLoad(shares, today, bound)
  if (best === undefined) return undefined
  if (!isOverloaded && crossing - best.crossing < gain) return { ...keep, memory: moved }

  const isFirst = isNew || today.every(({ serves }) => serves === undefined)
  const calledSince = memory.calledSince ?? now
  const isBad = worst > badOverload * bound
  const settled = isFirst || isBad ? 0 : calledSince + settleTime - now
  const rested = isOverloaded || movedAt === undefined ? 0 : movedAt + restTime - now
  const wait = Math.max(settled, rested)
  if (wait > 0) return { ...keep, memory: { ...moved, calledSince }, lookAgainIn: wait }
  return { serves: best.serves, memory: { movedAt: now } }
}

/** A pod that serves no zone joins its own as soon as others serve it: new pods where the API server copies no labels. */
function adoptNewcomers(pods: readonly Pod[]): Pod[] {
  const served = new Set(pods.map(({ serves }) => serves))
  return pods.map((pod) =>
    pod.serves === undefined && served.has(pod.zone) ? { ...pod, serves: pod.zone } : pod,
  )
}
