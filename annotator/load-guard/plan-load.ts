// Pure: the assignment of pods to zones with the least cross-zone traffic whose every pod stays within the bound, and of
// those the one with the fewest changes to today's; and what an assignment means for load and traffic.
import { type Assignment, assign, type Pod } from './assign.ts'
import { bestSplits, type Zone } from './split.ts'

export interface LoadPlan extends Assignment {
  /** share of all traffic that crosses zones */
  crossing: number
}

export interface Weight {
  /** the most loaded pod's load as a multiple of its fair share */
  worst: number
  crossing: number
}

/**
 * Where all pods can serve their own zones with nothing crossing, that is the plan, whatever it changes. Undefined where
 * pinned pods make every plan overload somebody. `shares` by zone key, adding up to 1.
 */
export function planLoad(
  shares: ReadonlyMap<string, number>,
  pods: readonly Pod[],
  bound: number,
): LoadPlan | undefined {
  const zones = zonesOf(shares, pods)
  let best: LoadPlan | undefined
  for (const split of bestSplits(zones, bound)) {
    const assignment = assign(zones, split, pods)
    if (best === undefined || assignment.changes < best.changes)
      best = { ...assignment, crossing: split.crossing }
  }
  return best
}

/** What pods that serve as they say today carry. */
export function weigh(shares: ReadonlyMap<string, number>, pods: readonly Pod[]): Weight {
  const all = pods.length
  const serving = Map.groupBy(
    pods.filter(({ serves }) => serves !== undefined),
    ({ serves }) => serves as string,
  )
  const openZones = [...shares].filter(([key]) => !serving.has(key))
  const openShare = openZones.reduce((sum, [, share]) => sum + share, 0)
  let [worst, crossing] = [openShare, 0]
  for (const [key, share] of shares) {
    const servants = serving.get(key)
    if (servants === undefined) {
      crossing += share * (1 - pods.filter(({ zone }) => zone === key).length / all)
      continue
    }
    worst = Math.max(worst, openShare + (share * all) / servants.length)
    crossing += (share * servants.filter(({ zone }) => zone !== key).length) / servants.length
  }
  return { worst, crossing }
}

function zonesOf(shares: ReadonlyMap<string, number>, pods: readonly Pod[]): Zone[] {
  const keys = new Set([...shares.keys(), ...pods.map(({ zone }) => zone)])
  return [...keys].sort().map((key) => {
    const inZone = pods.filter(({ zone }) => zone === key)
    return {
      key,
      share: shares.get(key) ?? 0,
      pods: inZone.length,
      pinned: inZone.filter(({ pinned }) => pinned).length,
    }
  })
}
