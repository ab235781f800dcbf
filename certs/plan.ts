// Pure: from what the Secrets hold and the clock, which certificates are due. Making them, and writing them and the
// caBundle, is left to self-managed.ts.
//
// A CA is renewed in two steps, so that at no time a serving certificate is in use whose CA the API server lacks:
//
//   step      signs     caBundle
//   (usual)   current   current
//   prepare   current   current, next      when current enters its renewal time
//   promote   next      next, previous     when next is in the bundle, and the overlap time is over
//   (usual)   current   current            when previous has ended
import { X509Certificate } from 'node:crypto'
import { isAuthority, type PemPair, readPair } from './authority.ts'

export interface Authorities {
  current: PemPair
  next?: PemPair
  /** Its certificate alone: it signs no more. */
  previous?: string
}

export interface Policy {
  dnsNames: readonly string[]
  /** All in milliseconds. A CA has to outlive three serving certificates: else one could end after its CA. */
  authorityLifetime: number
  servingLifetime: number
  /** How long all API servers may take to see a new caBundle. */
  overlap: number
}

export type AuthorityStep = 'create' | 'prepare' | 'promote' | 'forget-previous' | 'keep'

/** Certificates begin this much earlier than they are made: clocks differ. */
export const backdating = 5 * 60_000

export function planAuthority(
  authorities: Authorities | undefined,
  { policy, now, isTrusted }: { policy: Policy; now: number; isTrusted: (cert: string) => boolean },
): AuthorityStep {
  const current = authorities && readPair(authorities.current)
  if (!authorities || !current || !isAuthority(current) || hasEnded(current, now)) return 'create'
  const next = authorities.next && readPair(authorities.next)
  if (!next || !isAuthority(next)) {
    if (isDue(current, policy.authorityLifetime, now)) return 'prepare'
  } else {
    const isOverlapOver = now >= next.validFromDate.getTime() + backdating + policy.overlap
    if (isOverlapOver && isTrusted(authorities.next?.cert ?? '')) return 'promote'
  }
  const previous = authorities.previous
  return previous !== undefined && hasEnded(parse(previous), now) ? 'forget-previous' : 'keep'
}

/** Whether a serving certificate has to be made: there is none, or it is broken, due, for other names, or of another CA. */
export function isServingDue(
  serving: PemPair | undefined,
  { authority, policy, now }: { authority: string; policy: Policy; now: number },
): boolean {
  const certificate = serving && readPair(serving)
  if (!certificate || isDue(certificate, policy.servingLifetime, now)) return true
  if (!policy.dnsNames.every((name) => certificate.checkHost(name) !== undefined)) return true
  return !certificate.verify(new X509Certificate(authority).publicKey)
}

/** What the API server has to trust, PEM; the one that signs comes first. */
export function bundleOf({ current, next, previous }: Authorities): string {
  const certs = [current.cert, next?.cert, previous].filter((cert) => cert !== undefined)
  return certs.map((cert) => `${cert.trim()}\n`).join('')
}

/** Renewal is due when a third of the lifetime is left. */
function isDue(certificate: X509Certificate, lifetime: number, now: number): boolean {
  return now >= certificate.validToDate.getTime() - lifetime / 3
}

/** So has what can't be read. */
function hasEnded(certificate: X509Certificate | undefined, now: number): boolean {
  return certificate === undefined || certificate.validToDate.getTime() <= now
}

function parse(cert: string): X509Certificate | undefined {
  try {
    return new X509Certificate(cert)
  } catch {
    return undefined
  }
}
