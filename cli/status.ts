// Pure: the states of Services as a table for people and as JSON for programs.
import type { ServiceState, ZoneState } from './service-states.ts'
import { age, table } from './table.ts'
import { wrapped } from './wrapped.ts'

const header = ['SERVICE', 'MODE', 'READY', 'SERVING', 'LENT', 'PROXIES', 'CHANGED', 'REASON']

/** Longer ones have a line for themselves: so the table fits 80 columns with nearly every reason. */
const longestKey = 16

/** One row a Service, with what its zones have together, and below it one a zone. Messages of refusals follow. */
export function statusTable(
  states: readonly ServiceState[],
  { now, columns, namespace }: { now: number; columns?: number | undefined; namespace?: string | undefined },
): string {
  if (states.length === 0) {
    const where = namespace === undefined ? '' : ` in the namespace ${namespace}`
    return `No Service${where} is routed by zone, and no pod behind one has opted in: see docs/install.md.\n`
  }
  const rows = states.flatMap(({ key, mode, reason, lastChange, zones }) => {
    const changed = lastChange === undefined ? '-' : age(now - lastChange.at)
    const own = [mode, ...numbersOf(zones), changed, reason]
    return [
      ...(key.length > longestKey ? [[key], ['  all zones', ...own]] : [[key, ...own]]),
      ...zones.map((zone) => [`  ${zone.zone}`, '', ...numbersOf([zone]), '', '']),
    ]
  })
  const notes = states.flatMap(({ key, message }) =>
    message === undefined ? [] : [wrapped(`${key}: ${message}`, columns, '  ')],
  )
  return table(header, rows) + (notes.length > 0 ? `\n${notes.join('\n')}\n` : '')
}

export function statusJson(states: readonly ServiceState[]): object {
  return {
    services: states.map(({ namespace, name, mode, reason, message, zones, lastChange }) => ({
      namespace,
      name,
      mode,
      reason,
      ...(message !== undefined && { message }),
      zones,
      ...(lastChange && {
        lastChange: { at: new Date(lastChange.at).toISOString(), what: lastChange.what },
      }),
    })),
  }
}

function numbersOf(zones: readonly ZoneState[]): string[] {
  const counts = ['ready', 'serving', 'lent', 'proxies'] as const
  return counts.map((count) => String(zones.reduce((sum, zone) => sum + zone[count], 0)))
}
