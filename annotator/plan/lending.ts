// Pure: one sentence for people about pods that begin or cease to serve another zone than their own.
import type { PodWrite } from './stamps.ts'

/** Undefined where the writes only stamp pods, or let new ones serve their own zone. */
export function lendingOf(writes: readonly PodWrite[]): string | undefined {
  const moves = writes.filter(({ pod, serves, zoneKey }) => {
    const before = pod.serves ?? zoneKey
    return pod.zoneKey === zoneKey && (serves ?? 'none') !== before
  })
  if (moves.length === 0) return undefined
  const described = moves.map(({ pod, serves, zoneKey }) => {
    if (serves === undefined) return `${pod.name} (${zoneKey}) serves no zone`
    if (serves === zoneKey) return `${pod.name} serves its own zone ${zoneKey} again`
    return `${pod.name} (${zoneKey}) is lent to ${serves}`
  })
  const most = 5
  const rest = described.length > most ? `, and ${described.length - most} more` : ''
  return `to overload no pod and let as little as possible cross zones: ${described.slice(0, most).join(', ')}${rest}`
}
