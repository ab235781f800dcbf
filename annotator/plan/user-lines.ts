// Pure: what a user's own HAProxy lines in the same backend do to ours.
import { allowHashBalancingAnnotation } from '../../lib/names.ts'
import { quoted } from './quoted.ts'
import type { Refusal } from './reasons.ts'

interface Rule {
  line: RegExp
  refusal: Refusal
}

const rules: readonly Rule[] = [
  {
    line: /^stick(-table)?\s/,
    refusal: {
      reason: 'StickTable',
      message:
        'a configuration snippet keeps sessions in a stick table, which would hold them to a slot instead of a pod: take it out',
    },
  },
  {
    line: /^cookie\s(?!.*\bdynamic\b)/,
    refusal: {
      reason: 'StaticCookie',
      message: 'a configuration snippet sets a cookie that is not dynamic: make it dynamic',
    },
  },
  {
    line: /^(balance\s+(source|uri|url_param|hdr|rdp-cookie|hash)\b|hash-type\s)/,
    refusal: {
      reason: 'HashBalancing',
      message: `a configuration snippet balances by a hash, and the zone’s own servers change what it maps to: take it out, or set the annotation ${allowHashBalancingAnnotation} on the Service to "true" if that may be`,
    },
  },
  {
    line: /^(server|server-template|default-server|use-server)\s|^no\s+option\s+(allbackups|redispatch)\b|^retries\s+0\b/,
    refusal: {
      reason: 'SnippetUndoes',
      message:
        'a configuration snippet has a line about servers, backups or retries of its own, which would undo what zonefirst writes: take it out',
    },
  },
]

/** The first line that objects; comments and indentation don't count. `where` is where the lines stand, for people. */
export function refusalOfLines(text: string, where: string): Refusal | undefined {
  for (const line of text.split('\n').map((each) => each.trim())) {
    const rule = rules.find((each) => each.line.test(line))
    if (rule === undefined) continue
    const { reason, message } = rule.refusal
    return { reason, message: `${message} (\`${quoted(line)}\`, ${where})` }
  }
  return undefined
}

/** Whether a balancing algorithm maps requests to servers by a hash. */
export function isHashBalancing(algorithm: string): boolean {
  return /^\s*(source|uri|url_param|hdr|rdp-cookie|hash)\b/.test(algorithm)
}
