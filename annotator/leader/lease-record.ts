// Pure: what a Lease says, and whose it is. Clocks of other machines don't count: a Lease is valid for its duration from
// when its last change was seen here.

export interface LeaseSpec {
  holderIdentity?: string | undefined
  leaseDurationSeconds?: number | undefined
  acquireTime?: string | undefined
  renewTime?: string | undefined
  leaseTransitions?: number | undefined
}

export interface Lease {
  apiVersion?: string
  kind?: string
  metadata: { name?: string; namespace?: string; resourceVersion?: string }
  spec?: LeaseSpec
}

/** What was seen last: `spec` is undefined where there was no Lease. */
export interface Observation {
  spec: LeaseSpec | undefined
  /** of the monotonic clock, when this was new */
  since: number
}

/** One Lease is one observation, however often it is read. */
export function observe(
  before: Observation | undefined,
  spec: LeaseSpec | undefined,
  now: number,
): Observation {
  const isSame = before !== undefined && JSON.stringify(before.spec) === JSON.stringify(spec)
  return isSame ? before : { spec, since: now }
}

/**
 * How long to wait until it may be taken, in ms. A Lease that was there and is not any more may have been deleted while
 * its holder leads; at the very first look there is none because nobody has led yet.
 */
export function waitsFor(
  { spec, since }: Observation,
  isFirst: boolean,
  options: { identity: string; leaseDuration: number; now: number },
): number {
  const { identity, leaseDuration, now } = options
  if (spec === undefined && isFirst) return 0
  if (spec !== undefined && (!spec.holderIdentity || spec.holderIdentity === identity)) return 0
  // replicas may have other settings while these change: the longer counts
  const duration = Math.max((spec?.leaseDurationSeconds ?? 0) * 1_000, leaseDuration)
  return Math.max(since + duration - now, 0)
}

/** The Lease as its holder writes it; `wallTime` in ms, for people alone. */
export function held(
  before: LeaseSpec | undefined,
  { identity, leaseDuration, wallTime }: { identity: string; leaseDuration: number; wallTime: number },
): LeaseSpec {
  const time = microTime(wallTime)
  const isOurs = before?.holderIdentity === identity
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDuration / 1_000),
    acquireTime: isOurs ? (before.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: (before?.leaseTransitions ?? 0) + (isOurs || before === undefined ? 0 : 1),
  }
}

/** The Lease as its holder leaves it, so that the next need not wait. */
export function released(before: LeaseSpec, wallTime: number): LeaseSpec {
  return { ...before, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(wallTime) }
}

function microTime(wallTime: number): string {
  return new Date(wallTime).toISOString().replace('Z', '000Z')
}
