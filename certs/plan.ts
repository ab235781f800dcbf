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
//
// The overlap is for the API servers, which all have to see a bundle before they meet what its new CA signed. Files
// that reach the webhook late need none: the CA that signed them stays in the bundle for as long as it is valid.
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
  if (!authorities) return 'create'
  const current = usableAuthority(authorities.current, now)
  const next = usableAuthority(authorities.next, now)
  if (!current) return next ? 'promote' : 'create'
  if (!next) {
    if (isDue(current, policy.authorityLifetime, now)) return 'prepare'
  } else if (isOverlapOver(next, policy, now) && isTrusted(authorities.next?.cert ?? '')) {
    return 'promote'
  }
  const { previous } = authorities
  return previous !== undefined && !isValid(previous, now) ? 'forget-previous' : 'keep'
}

/**
 * Whether a serving certificate has to be made: there is none, or it is broken, due, for other names, or of another CA.
 * One of the previous CA stays until the overlap time of the current one is over: it matters where a CA was lost.
 */
export function isServingDue(
  serving: PemPair | undefined,
  { authorities, policy, now }: { authorities: Authorities; policy: Policy; now: number },
): boolean {
  const certificate = serving && readPair(serving)
  if (!certificate || !isValid(certificate, now)) return true
  if (isDue(certificate, policy.servingLifetime, now)) return true
  if (!policy.dnsNames.every((name) => certificate.checkHost(name) !== undefined)) return true
  const [current, previous] = [parse(authorities.current.cert), parse(authorities.previous)]
  if (current && certificate.verify(current.publicKey)) return false
  const isOfPrevious =
    previous !== undefined && isValid(previous, now) && certificate.verify(previous.publicKey)
  return !isOfPrevious || !current || isOverlapOver(current, policy, now)
}

/** What the API server has to trust, PEM; the one that signs comes first. */
export function bundleOf({ current, next, previous }: Authorities): string {
  const certs = [current.cert, next?.cert, previous].filter((cert) => cert !== undefined)
  return certs.map((cert) => `${cert.trim()}\n`).join('')
}

/** Of certificates in PEM, those that somebody may still be using. */
export function stillValid(certs: readonly (string | undefined)[], now: number): string[] {
  return certs.filter((cert) => cert !== undefined).filter((cert) => isValid(cert, now))
}

function usableAuthority(pair: PemPair | undefined, now: number): X509Certificate | undefined {
  const certificate = pair && readPair(pair)
  return certificate && isAuthority(certificate) && isValid(certificate, now) ? certificate : undefined
}

/** Renewal is due when a third of the lifetime is left. */
function isDue(certificate: X509Certificate, lifetime: number, now: number): boolean {
  return now >= certificate.validToDate.getTime() - lifetime / 3
}

function isOverlapOver(authority: X509Certificate, policy: Policy, now: number): boolean {
  return now >= authority.validFromDate.getTime() + backdating + policy.overlap
}

/** What can't be read isn't, nor what was made by a clock that is wrong by more than the backdating. */
function isValid(given: X509Certificate | string, now: number): boolean {
  const certificate = typeof given === 'string' ? parse(given) : given
  if (!certificate) return false
  return certificate.validFromDate.getTime() <= now && now < certificate.validToDate.getTime()
}

function parse(cert: string | undefined): X509Certificate | undefined {
  try {
    return cert === undefined ? undefined : new X509Certificate(cert)
  } catch {
    return undefined
  }
}
