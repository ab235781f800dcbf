// Pure: the resolvers sections that are compared: the installed one, and what differs from it.

export interface Variant {
  /** what it has instead of the installed section's values, or beside them, by keyword */
  changes: Readonly<Record<string, string>>
}

/** The installed section first. An empty value is HAProxy's default: the line is left out. */
export const variants: readonly Variant[] = [
  {},
  { 'timeout resolve': '500ms', 'hold valid': '500ms' },
  { 'timeout resolve': '2s', 'hold valid': '2s' },
  { 'timeout resolve': '4s', 'hold valid': '4s' },
  { 'timeout resolve': '5s', 'hold valid': '5s' },
  { 'timeout resolve': '5s' },
  { 'hold valid': '' },
  { 'timeout resolve': '2s', 'hold valid': '2s', 'timeout retry': '250ms' },
  { 'timeout retry': '250ms' },
  { resolve_retries: '1' },
  { 'hold obsolete': '5s' },
  { 'hold nx': '' },
  { 'timeout resolve': '', 'timeout retry': '', 'hold valid': '', 'hold obsolete': '', 'hold nx': '' },
].map((changes) => ({ changes: changes as Record<string, string> }))

export function titleOf({ changes }: Variant): string {
  const parts = Object.entries(changes).map(([keyword, value]) => `${keyword} ${value || '(default)'}`)
  return parts.join(', ') || 'as installed'
}

/** `installed` is the whole auxiliary file; `nameserver` the one to ask, such as `10.96.0.10:53`. */
export function sectionOf({ changes }: Variant, installed: string, nameserver: string): string {
  const left = new Map(Object.entries(changes))
  const lines = installed.split('\n').flatMap((line) => {
    const keyword = [...left.keys()].find((each) => line.trim().startsWith(`${each} `))
    if (keyword === undefined) return [line.replace('parse-resolv-conf', `nameserver dns ${nameserver}`)]
    const value = left.get(keyword)
    left.delete(keyword)
    return value ? [`  ${keyword} ${value}`] : []
  })
  const added = [...left].map(([keyword, value]) => `  ${keyword} ${value}`)
  return `${[...lines.filter((line) => line !== ''), ...added].join('\n')}\n`
}
