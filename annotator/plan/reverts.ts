// Pure: when our annotation may be written again after somebody took it away, or set it to something else. A tool that
// restores a Service from its own source does so as often as we write: two times at once, then ever more rarely.
import type { V1ManagedFieldsEntry } from '@kubernetes/client-node'
import { fieldManager } from '../../lib/names.ts'

/** What is remembered of one primary, in ms of the clock. */
export interface Reverts {
  /** our last write, unless we took it back ourselves */
  written?: { value: string; version: string; at: number }
  /** in a row */
  count?: number
  seenAt?: number
  /** while a revert is known and not answered yet */
  notBefore?: number
  /** what somebody else has set, and owns */
  taken?: { value: string | undefined; until: number }
}

/** The annotation and the resourceVersion of the primary, as the cache has them. */
export interface Sight {
  value: string | undefined
  version: string
}

export interface Verdict {
  reverts: Reverts
  /** ms until it may be written; 0: now */
  wait: number
  /** why it has to wait, where somebody else is the cause */
  reason?: 'AnnotationRemoved' | 'AnnotationTaken'
  /** it has just become one too many */
  isNew?: true
}

/** How many reverts in a row are answered at once. */
const answeredAtOnce = 2
const firstDelay = 10_000
const mostDelay = 300_000
/** Tools that restore everything do so every few minutes, by default. */
const forgottenAfter = 3_600_000
/** The watch shows our write within this, or something is wrong with versions. */
const lagMost = 5_000

/** Asked where the annotation is not as it should be. */
export function mayWrite(reverts: Reverts, { value, version }: Sight, now: number): Verdict {
  const { written, notBefore, taken } = reverts
  if (taken !== undefined && taken.value === value && now < taken.until) {
    return { reverts, wait: taken.until - now, reason: 'AnnotationTaken' }
  }
  if (notBefore !== undefined) {
    const wait = Math.max(notBefore - now, 0)
    return { reverts, wait, ...(wait > 0 && { reason: 'AnnotationRemoved' }) }
  }
  // the first one, or only what we want has changed
  if (written === undefined || value === written.value) return { reverts, wait: 0 }
  const lag = written.at + lagMost - now
  if (isOlder(version, written.version) && lag > 0) return { reverts, wait: lag }

  const isInARow = reverts.seenAt !== undefined && now - reverts.seenAt < forgottenAfter
  const count = isInARow ? (reverts.count ?? 0) + 1 : 1
  const over = count - answeredAtOnce - 1
  const wait = over < 0 ? 0 : Math.min(firstDelay * 2 ** over, mostDelay)
  return {
    reverts: { ...reverts, count, seenAt: now, notBefore: now + wait },
    wait,
    ...(wait > 0 && { reason: 'AnnotationRemoved' }),
    ...(over === 0 && { isNew: true }),
  }
}

export function afterWrite(
  reverts: Reverts,
  { value, version }: Sight & { value: string },
  now: number,
): Reverts {
  const { notBefore: _answered, taken: _free, ...rest } = reverts
  return { ...rest, written: { value, version, at: now } }
}

/** We took it back ourselves: that it is missing then is nobody's revert. */
export function afterRemoval(reverts: Reverts): Reverts {
  const { written: _written, notBefore: _answered, ...rest } = reverts
  return rest
}

/** The API server says that another manager owns the annotation. A cache that doesn't show its value yet soon will. */
export function afterConflict(reverts: Reverts, { value }: Sight, now: number): Reverts {
  const until = now + (value === undefined ? lagMost : mostDelay)
  return { ...reverts, taken: { value, until } }
}

/** Who else writes the object, the latest first: one of them is who removes what we write. */
export function otherManagers(entries: readonly V1ManagedFieldsEntry[] = []): string[] {
  const times = new Map<string, number>()
  for (const { manager, subresource, time } of entries) {
    if (manager === undefined || manager === fieldManager || subresource) continue
    times.set(manager, Math.max(times.get(manager) ?? 0, time ? new Date(time).getTime() : 0))
  }
  return [...times].sort(([, a], [, b]) => b - a).map(([manager]) => manager)
}

/** Versions of one API server are numbers that grow, too long for a number here. */
function isOlder(version: string, than: string): boolean {
  return version.length === than.length ? version < than : version.length < than.length
}
