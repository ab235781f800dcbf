// Pure: what a check of `doctor` says.
import type { Inspection } from '../inspection.ts'

/** The word of each check; docs/troubleshooting.md has a row for each. */
export const checkNames = [
  'webhook-configuration',
  'webhook-failure-policy',
  'webhook-endpoints',
  'webhook-certificate',
  'webhook-answers',
  'annotator',
  'leader',
  'admission-policies',
  'versions',
  'node-without-zone',
  'excluded-namespace',
  'no-proxies',
  'proxy-namespaces',
  'proxy-not-trusted',
  'proxy-not-prepared',
  'proxy-node-dns',
  'proxy-no-zone',
  'proxy-stamped-late',
  'proxy-config-map-unread',
  'zone-variable',
  'resolvers-section',
  'validation-rules',
  'validation-rules-flag',
  'pods-unstamped',
  'stamp-differs',
  'pods-without-service',
  'service-refused',
  'service-unfinished',
  'orphaned-zonal-service',
  'annotation-twice',
  'dns-answer-size',
  'statistics-unread',
  'template-missing',
  'active-beside-template',
  'template-down',
  'zone-shares',
] as const
export type CheckName = (typeof checkNames)[number]

export interface Finding {
  check: CheckName
  /** error: something doesn't work; warning: it will not, or works less well; note: it could not be looked at, or is yours to decide */
  severity: 'error' | 'warning' | 'note'
  /** such as `Pod default/web-1` */
  subject: string
  /** what is wrong, one sentence without a full stop */
  problem: string
  /** what to do about it */
  fix: string
}

/** Looks at one thing; nothing wrong, nothing returned. */
export type Check = (inspection: Inspection) => Finding[]

export function unseen(check: CheckName, subject: string, permission: string): Finding {
  return {
    check,
    severity: 'note',
    subject,
    problem: 'could not be looked at, for want of a permission',
    fix: `ask for the permission to ${permission}`,
  }
}

/** Such as `web-1, web-2 and 5 more`. */
export function someOf(names: readonly string[], most = 3): string {
  const rest = names.length - most
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ')
}
