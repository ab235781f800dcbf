// Pure: which zones are to be local, which open, and how many pods each local zone needs, so that no pod is overloaded
// and the least traffic crosses zones.
//
// With N ready pods, a pod that serves zone z carries share(z) / m(z) of the traffic, where m(z) pods serve it, and every
// pod carries O / N, where O is the share of all open zones; 1 / N is fair. So within the bound B a local zone needs
// m(z) >= share(z) * N / (B - O). Beyond its own pods it borrows no more than that: each one lent makes more traffic cross.

export interface Zone {
  key: string
  /** of the traffic, between 0 and 1; those of all zones add up to 1 */
  share: number
  /** ready pods in the zone */
  pods: number
  /** of these, pods that can serve no zone but their own */
  pinned: number
}

export interface Split {
  /** by position in the list of zones */
  open: readonly boolean[]
  /** pods of other zones that each zone borrows */
  borrowed: readonly number[]
  /** pods that each zone can lend */
  spare: readonly number[]
  /** share of all traffic that crosses zones */
  crossing: number
}

/** Up to so many zones every set of open zones is looked at. */
export const mostZonesExactly = 12
/** Sets of open zones that let equally little cross, of which the caller takes the one with the fewest changes. */
const mostTies = 64
const tolerance = 1e-9

/** The best splits, at least one unless pinned pods make every split overload somebody. */
export function bestSplits(zones: readonly Zone[], bound: number): Split[] {
  const sets = zones.length <= mostZonesExactly ? allSets(zones) : likelySets(zones, bound)
  let best: Split[] = []
  for (const open of sets) {
    const split = splitWith(zones, bound, open)
    if (split === undefined) continue
    const least = best[0]?.crossing ?? Number.POSITIVE_INFINITY
    if (split.crossing < least - tolerance) best = [split]
    else if (split.crossing <= least + tolerance && best.length < mostTies) best.push(split)
  }
  return best
}

/** The best split with exactly these zones open, or undefined where it would overload a pod. */
export function splitWith(
  zones: readonly Zone[],
  bound: number,
  open: readonly boolean[],
): Split | undefined {
  const all = zones.reduce((sum, { pods }) => sum + pods, 0)
  const openShare = zones.reduce((sum, { share }, index) => sum + (open[index] ? share : 0), 0)
  if (zones.some(({ pinned }, index) => open[index] && pinned > 0)) return undefined
  const room = bound - openShare
  let [borrowed, spare] = [0, 0]
  let crossing = 0
  const needs: number[] = []
  for (const [index, { share, pods, pinned }] of zones.entries()) {
    if (open[index]) {
      needs.push(0)
      spare += pods
      crossing += share * (1 - pods / all)
      continue
    }
    if (share > 0 && room <= 0) return undefined
    const need = share > 0 ? Math.max(Math.ceil((share * all) / room - tolerance), 1) : 0
    needs.push(need)
    borrowed += Math.max(need - pods, 0)
    spare += pods - Math.min(Math.max(need, pinned), pods)
    if (need > pods) crossing += (share * (need - pods)) / need
  }
  if (borrowed > spare) return undefined
  return {
    open,
    borrowed: zones.map(({ pods }, index) => Math.max((needs[index] ?? 0) - pods, 0)),
    spare: zones.map(({ pods, pinned }, index) =>
      open[index] ? pods : pods - Math.min(Math.max(needs[index] ?? 0, pinned), pods),
    ),
    crossing,
  }
}

/** A zone without traffic is never open: it has nothing to spread. Fewer open zones come first. */
function allSets(zones: readonly Zone[]): boolean[][] {
  const sets: boolean[][] = []
  for (let bits = 0; bits < 2 ** zones.length; bits++) {
    const open = zones.map((_, index) => ((bits >> index) & 1) === 1)
    if (zones.every(({ share }, index) => !open[index] || share > 0)) sets.push(open)
  }
  const count = (open: readonly boolean[]) => open.filter(Boolean).length
  return sets.sort((a, b) => count(a) - count(b))
}

/**
 * For many zones: opens, one after another, the zone after which the least crosses, and, from all open on, closes them
 * the same way; every set met on the two ways is a candidate. All open is among them, which never overloads a pod.
 */
function likelySets(zones: readonly Zone[], bound: number): boolean[][] {
  const sets: boolean[][] = []
  for (const opening of [true, false]) {
    let set = zones.map(({ share }) => share > 0 && !opening)
    sets.push(set)
    for (;;) {
      const next = zones
        .map((zone, index) =>
          zone.share > 0 && set[index] !== opening ? set.with(index, opening) : undefined,
        )
        .filter((candidate) => candidate !== undefined)
        .map((open) => ({
          open,
          crossing: splitWith(zones, bound, open)?.crossing ?? shortfall(zones, bound, open),
        }))
        .reduce<{ open: boolean[]; crossing: number } | undefined>(
          (least, each) => (least === undefined || each.crossing < least.crossing ? each : least),
          undefined,
        )
      if (next === undefined) break
      set = next.open
      sets.push(set)
    }
  }
  return sets
}

/** Ranks sets that overload a pod behind all that don't, by how many pods they lack. */
function shortfall(zones: readonly Zone[], bound: number, open: readonly boolean[]): number {
  const all = zones.reduce((sum, { pods }) => sum + pods, 0)
  const openShare = zones.reduce((sum, { share }, index) => sum + (open[index] ? share : 0), 0)
  const room = Math.max(bound - openShare, tolerance)
  const needed = zones.reduce(
    (sum, { share }, index) => sum + (open[index] ? 0 : Math.ceil((share * all) / room)),
    0,
  )
  return 1 + Math.max(needed - all, 0)
}
