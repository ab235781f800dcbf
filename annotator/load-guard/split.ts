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

/** The best splits, at least one unless pinned pods make every split overload somebody; those with fewer open zones first. */
export function bestSplits(zones: readonly Zone[], bound: number): Split[] {
  let least = Number.POSITIVE_INFINITY
  let best: boolean[][] = []
  const consider = (open: readonly boolean[]) => {
    const crossing = crossingWith(zones, bound, open)
    if (crossing === undefined || crossing > least + tolerance) return
    if (crossing < least - tolerance) best = []
    least = Math.min(least, crossing)
    best.push([...open])
  }
  // most Services are spread well enough for all zones to be local with nothing crossing: no set is better
  consider(zones.map(() => false))
  if (least === 0) return best.map((open) => describe(zones, bound, open))
  best = []
  if (zones.length <= mostZonesExactly) forEverySet(zones, consider)
  else forLikelySets(zones, bound, consider)
  const count = (open: readonly boolean[]) => open.filter(Boolean).length
  return best
    .sort((a, b) => count(a) - count(b))
    .slice(0, mostTies)
    .map((open) => describe(zones, bound, open))
}

/** What crosses with exactly these zones open, or undefined where a pod would be overloaded. */
function crossingWith(zones: readonly Zone[], bound: number, open: readonly boolean[]): number | undefined {
  const { all, room } = totals(zones, bound, open)
  let [borrowed, spare, crossing] = [0, 0, 0]
  for (let index = 0; index < zones.length; index++) {
    const zone = zones[index] as Zone
    if (open[index]) {
      if (zone.pinned > 0) return undefined
      spare += zone.pods
      crossing += zone.share * (1 - zone.pods / all)
      continue
    }
    const need = needOf(zone, all, room)
    if (need > zone.pods) {
      borrowed += need - zone.pods
      crossing += (zone.share * (need - zone.pods)) / need
    } else spare += zone.pods - Math.max(need, zone.pinned)
  }
  return borrowed > spare ? undefined : crossing
}

function describe(zones: readonly Zone[], bound: number, open: readonly boolean[]): Split {
  const { all, room } = totals(zones, bound, open)
  const needs = zones.map((zone, index) => (open[index] ? 0 : needOf(zone, all, room)))
  const keeps = zones.map(({ pods, pinned }, index) =>
    open[index] ? 0 : Math.min(Math.max(needs[index] ?? 0, pinned), pods),
  )
  return {
    open,
    borrowed: zones.map(({ pods }, index) => Math.max((needs[index] ?? 0) - pods, 0)),
    spare: zones.map(({ pods }, index) => pods - (keeps[index] ?? 0)),
    crossing: crossingWith(zones, bound, open) ?? Number.POSITIVE_INFINITY,
  }
}

function totals(
  zones: readonly Zone[],
  bound: number,
  open: readonly boolean[],
): { all: number; room: number } {
  let [all, openShare] = [0, 0]
  for (let index = 0; index < zones.length; index++) {
    const { pods, share } = zones[index] as Zone
    all += pods
    if (open[index]) openShare += share
  }
  return { all, room: bound - openShare }
}

/** Pods that a local zone needs; without room more than there are. */
function needOf({ share }: Zone, all: number, room: number): number {
  if (share === 0) return 0
  return room <= tolerance
    ? Number.POSITIVE_INFINITY
    : Math.max(Math.ceil((share * all) / room - tolerance), 1)
}

/** A zone without traffic is never open: it has nothing to spread. */
function forEverySet(zones: readonly Zone[], consider: (open: readonly boolean[]) => void): void {
  const open = zones.map(() => false)
  const choices = zones.flatMap(({ share }, index) => (share > 0 ? [index] : []))
  for (let bits = 0; bits < 2 ** choices.length; bits++) {
    for (const [bit, index] of choices.entries()) open[index] = ((bits >> bit) & 1) === 1
    consider(open)
  }
}

/**
 * For many zones: opens, one after another, the zone after which the least crosses, and, from all open on, closes them
 * the same way; every set met on the two ways is considered. All open is among them, which never overloads a pod.
 */
function forLikelySets(
  zones: readonly Zone[],
  bound: number,
  consider: (open: readonly boolean[]) => void,
): void {
  for (const opening of [true, false]) {
    const open = zones.map(({ share }) => share > 0 && !opening)
    for (;;) {
      consider(open)
      let [next, least] = [-1, Number.POSITIVE_INFINITY]
      for (const [index, { share }] of zones.entries()) {
        if (share === 0 || open[index] === opening) continue
        open[index] = opening
        const rank = crossingWith(zones, bound, open) ?? 1 + shortfall(zones, bound, open)
        open[index] = !opening
        if (rank < least) [next, least] = [index, rank]
      }
      if (next < 0) break
      open[next] = opening
    }
  }
}

/** Ranks sets that overload a pod behind all that don't, by how many pods they lack. */
function shortfall(zones: readonly Zone[], bound: number, open: readonly boolean[]): number {
  const { all, room } = totals(zones, bound, open)
  const needed = zones.reduce((sum, zone, index) => sum + (open[index] ? 0 : needOf(zone, all, room)), 0)
  return Number.isFinite(needed) ? Math.max(needed - all, 0) : Number.MAX_SAFE_INTEGER
}
