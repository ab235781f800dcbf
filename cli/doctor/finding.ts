// Pure: what a check of `doctor` says.
import type { Inspection } from '../inspection.ts'

export interface Finding {
  /** the check's own word */
  check: string
  /** error: something doesn't work; warning: it will not, or works less well; note: it could not be looked at */
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

export function unseen(check: string, subject: string, permission: string): Finding {
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
