// Pure: the states of Services as a table for people and as JSON for programs.
import type { ServiceState, ZoneState } from './service-states.ts'
import { age, table } from './table.ts'

const header = ['SERVICE', 'MODE', 'REASON', 'ZONE', 'READY', 'SERVING', 'LENT', 'PROXIES', 'LAST CHANGE']

/** One row a zone; a Service's own columns stand in its first. Messages of refusals follow below. */
export function statusTable(states: readonly ServiceState[], now: number): string {
  if (states.length === 0) {
    return 'No Service is routed by zone, and no pod behind one has opted in: see docs/install or README.md.\n'
  }
  const rows = states.flatMap((state) => {
    const { key, mode, reason, lastChange } = state
    const changed = lastChange === undefined ? '-' : `${age(now - lastChange.at)} ago, ${lastChange.what}`
    const zones = state.zones.length > 0 ? state.zones : [undefined]
    return zones.map((zone, index) => {
      const numbers = numbersOf(zone)
      return index === 0
        ? [key, mode, reason, zone?.zone ?? '-', ...numbers, changed]
        : ['', '', '', zone?.zone ?? '', ...numbers, '']
    })
  })
  const notes = states.flatMap(({ key, message }) => (message === undefined ? [] : [`${key}: ${message}`]))
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

function numbersOf(zone: ZoneState | undefined): string[] {
  if (zone === undefined) return ['-', '-', '-', '-']
  return [zone.ready, zone.serving, zone.lent, zone.proxies].map(String)
}
