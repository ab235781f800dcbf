// Pure: what people should know of a Service that is routed by zone: no reason to refuse it, but it may serve worse than
// they meant.
import type { Routed } from './desired.ts'
import type { Dialect, Servers } from './dialects/dialect.ts'
import type { Input } from './input.ts'
import { type Said, userSettings } from './user-settings.ts'
import { zonalServiceHost } from './zonal-host.ts'

export type AdviceReason = 'AnswerTooLarge' | 'TooFewSlots' | 'MaxconnDivided'

export interface Advice {
  reason: AdviceReason
  /** one sentence for people */
  message: string
}

/** `answerSize` is how many bytes of an answer the proxies' resolvers section takes. */
export function adviceOn(input: Input, routed: Routed, { words }: Dialect, answerSize: number): Advice[] {
  const [maxconn] = words.dividesMaxconn ? userSettings(words.prefixes, input).read(words.maxconn) : []
  return [
    ...adviceOnLargestZone(input, routed, answerSize),
    ...(maxconn === undefined ? [] : adviceOnMaxconn(input, maxconn, words.maxconn)),
  ]
}

/** How many addresses fit into an answer: behind the header, the question and the asker's own extension. */
export function addressesPerAnswer(host: string, family: Servers['family'], size: number): number {
  const [header, question, extension] = [12, host.length + 6, 11]
  const record = family === 'ipv6' ? 28 : 16
  return Math.max(Math.floor((size - header - question - extension) / record), 0)
}

function adviceOnLargestZone(input: Input, { servers, serves }: Routed, answerSize: number): Advice[] {
  const ready = new Set(input.endpoints.flatMap(({ pods }) => pods))
  const zones = input.pods
    .filter(({ name }) => ready.has(name))
    .map((pod) => (serves.has(pod.name) ? serves.get(pod.name) : pod.zoneKey))
  const counts = [...Map.groupBy(zones, (zone) => zone)].flatMap(([zone, { length: count }]) =>
    zone === undefined ? [] : [{ zone, count }],
  )
  const [largest] = counts.sort((a, b) => b.count - a.count)
  if (largest === undefined) return []
  const { zone, count } = largest
  const fitting = addressesPerAnswer(zonalServiceHost.write(servers, zone), servers.family, answerSize)
  if (count > fitting) {
    const message = `${count} pods serve zone ${zone}, but a DNS answer of ${answerSize} bytes holds ${fitting} addresses, and proxies drop one that is cut, so all zones serve: raise accepted_payload_size in their resolvers section, and ZONEFIRST_ANSWER_SIZE with it`
    return [{ reason: 'AnswerTooLarge', message }]
  }
  if (count > servers.slots) {
    const message = `${count} pods serve zone ${zone}, but a proxy takes ${servers.slots} at most, so the others get none of its requests: split the pods among several Services`
    return [{ reason: 'TooFewSlots', message }]
  }
  return []
}

/** The controller gives each proxy its part of the limit, but by zone a pod is used by the proxies of one zone. */
function adviceOnMaxconn({ proxies, shares }: Input, { value, where }: Said, name: string): Advice[] {
  const limit = Number(value)
  const counts = [...proxies.values()]
  const all = counts.reduce((sum, count) => sum + count, 0)
  const fewest = Math.min(...counts)
  if (!Number.isInteger(limit) || limit <= 0 || shares === undefined || fewest >= all) return []
  const each = Math.floor(limit / all)
  // none at all means no limit to HAProxy
  if (each === 0) return []
  const message = `${name} ${limit} (set ${where}) is divided by the ${all} controllers, and by zone a pod is used by as few as ${fewest} of them: it gets ${each * fewest} connections, further requests wait or fail while other pods are idle: set it to ${Math.ceil((limit * all) / fewest)}`
  return [{ reason: 'MaxconnDivided', message }]
}
