// What a steady load says of its requests, and, purely, the figures that are made of it.
import type { SideName } from './sides.ts'

export interface LoadOptions {
  /** requests a second to each target, sent whether answers come or not */
  rate: number
  path: string
  /** ms after which a request counts as failed */
  timeout: number
}

export interface Target {
  side: SideName
  /** the zone of the ingress controller, which may be another one than the load's */
  zone: string
  /** host:port that is connected to */
  address: string
  /** Host header */
  host: string
}

/** To a load. */
export interface Order {
  targets?: readonly Target[]
  /** Answered by the same number when every request sent before has been answered. */
  settle?: number
}

/** From a load. */
export interface Answer {
  samples?: Sample[]
  settled?: number
}

export interface Sample {
  side: SideName
  /** of the ingress controller */
  zone: string
  /** ms of the clock */
  startedAt: number
  ms: number
  failure?: string | undefined
  /** the pod that answered, as it says itself */
  pod?: string | undefined
}

export interface Figures {
  requests: number
  failed: number
  p99Ms: number
  /** of the answers, those from another zone than the ingress controller's */
  crossZone: number
  failures: Record<string, number>
}

export function figuresOf(
  samples: readonly Sample[],
  side: SideName,
  { from, to }: { from: number; to: number },
  zoneOfPod: (pod: string) => string | undefined,
): Figures {
  const some = samples.filter((each) => each.side === side && each.startedAt >= from && each.startedAt < to)
  const answered = some.filter(({ failure }) => failure === undefined)
  const crossed = answered.filter(({ zone, pod = '' }) => zoneOfPod(pod) !== zone)
  const failures: Record<string, number> = {}
  for (const { failure } of some) {
    if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1
  }
  const times = some.map(({ ms }) => ms).sort((a, b) => a - b)
  return {
    requests: some.length,
    failed: some.length - answered.length,
    p99Ms: round(times[Math.floor((times.length - 1) * 0.99)] ?? 0, 1),
    crossZone: answered.length === 0 ? 0 : round(crossed.length / answered.length, 4),
    failures,
  }
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
