// Pure: desired against actual -> the writes that are missing, in their order, and when to look again.

import type { GuardMemory } from '../load-guard/guard.ts'
import type { Service } from '../objects/objects.ts'
import type { Desired, Routed } from './desired.ts'
import type { Input } from './input.ts'
import { handlingOf, type Refusal } from './reasons.ts'
import { type PodWrite, podWrites } from './stamps.ts'
import { isAsWanted, overdueZonalServices } from './zonal-services.ts'

export type Write = PodWrite | ServiceWrite
export type ServiceWrite =
  | { kind: 'apply-zonal-service'; service: Service }
  | { kind: 'delete-zonal-service'; service: Service }
  | { kind: 'set-annotation'; primary: Service; key: string; value: string }
  | { kind: 'remove-annotation'; primary: Service; key: string }

/** What has to be remembered of a primary between two looks, in ms of the clock; lost at a restart, which only waits anew. */
export interface Memory {
  /** since when a refusal that is given patience has held */
  refusedSince?: number
  /** since when zonal Services have been without use */
  unusedSince?: number
  guard?: GuardMemory
  /** since when it could be routed that isn't yet */
  routableSince?: number
}

export interface Plan {
  writes: readonly Write[]
  memory: Memory
  /** why nothing is routed, once patience has ended */
  refusal?: Refusal
  /** ms until time alone could change the plan */
  lookAgainIn?: number
}

export interface PlanOptions {
  input: Input
  desired: Desired
  /** annotations on the primary that hold a value of ours, by key; the dialect in use writes `annotationKey` */
  written: Readonly<Record<string, string>>
  annotationKey: string
  memory: Memory
  now: number
  /** how long what was written outlasts a refusal that is given patience, in ms */
  graceTime: number
  /** how long a zonal Service outlasts its use, in ms: HAProxy keeps a name's servers until the controller reloads it */
  releaseTime: number
}

/** How long a refusal that is given patience is not told where nothing is written yet, in ms: a rollout has to begin. */
const settleTime = 15_000
/** For how long a Service has to be fit before it is routed: its pods and EndpointSlices come one by one. */
const fitTime = 3_000

export function plan(options: PlanOptions): Plan {
  const { desired } = options
  if (desired.routed) return planRouted(options, desired)
  const { patience } = handlingOf(desired.refusal.reason)
  if (patience === undefined || !hasSelector(options.input.primary))
    return planUnrouted(options, desired.refusal)
  const isWritten = Object.keys(options.written).length > 0
  const kept = { writes: [...podWrites(options.input, 'today'), ...reselecting(options.input)] }
  if (isWritten && patience === 'endless') return { ...kept, memory: {} }
  const refusedSince = options.memory.refusedSince ?? options.now
  const left = refusedSince + (isWritten ? options.graceTime : settleTime) - options.now
  if (left <= 0) return planUnrouted(options, desired.refusal)
  const memory = { refusedSince }
  if (isWritten) return { ...kept, memory, lookAgainIn: left }
  const writes = podWrites(options.input, 'home')
  return withReleased(options, { writes, memory, lookAgainIn: left }, options.input.zonalServices)
}

/** Patience is for pods that are late: a selector that changed means others, and zonal Services must not hold on to the old. */
function reselecting(input: Input): Write[] {
  return overdueZonalServices(input).map((service) => ({ kind: 'apply-zonal-service', service }))
}

/** Without one no pod can be late: whatever serves it now is somewhere else. */
function hasSelector({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0
}

/** Pods first, then zonal Services: HAProxy should find the right addresses when it reads the annotation. */
function planRouted(options: PlanOptions, desired: Routed): Plan {
  const { annotation, zonalServices, serves, guardMemory, lookAgainIn } = desired
  const { input, written, annotationKey: key } = options
  const actual = new Map(input.zonalServices.map((service) => [service.metadata.name, service]))
  const applied = zonalServices.filter((service) => {
    const found = actual.get(service.metadata.name)
    return found === undefined || !isAsWanted(found, service)
  })
  const wantedNames = new Set(zonalServices.map(({ metadata }) => metadata.name))
  const surplus = input.zonalServices.filter(({ metadata }) => !wantedNames.has(metadata.name))
  const routableSince = options.memory.routableSince ?? options.now
  const left = written[key] === undefined ? routableSince + fitTime - options.now : 0
  const isNew = written[key] !== annotation && left <= 0
  const writes: Write[] = [
    ...podWrites(input, serves),
    ...applied.map((service) => ({ kind: 'apply-zonal-service' as const, service })),
    ...(isNew ? [{ kind: 'set-annotation' as const, primary: input.primary, key, value: annotation }] : []),
    ...otherAnnotations(options).map((each) => ({
      kind: 'remove-annotation' as const,
      primary: input.primary,
      key: each,
    })),
  ]
  const memory = { guard: guardMemory, ...(left > 0 && { routableSince }) }
  const times = [lookAgainIn, left > 0 ? left : undefined].filter((time) => time !== undefined)
  const again = times.length > 0 ? { lookAgainIn: Math.min(...times) } : {}
  return withReleased(options, { writes, memory, ...again }, surplus)
}

/** The annotation first, the zonal Services only when no HAProxy can still be asking for their names. */
function planUnrouted(options: PlanOptions, refusal: Refusal): Plan {
  const { input, written } = options
  const keys = Object.keys(written)
  const removals = keys.map((key) => ({ kind: 'remove-annotation' as const, primary: input.primary, key }))
  const memory =
    options.memory.refusedSince === undefined ? {} : { refusedSince: options.memory.refusedSince }
  const pods = podWrites(input, 'home')
  if (keys.length > 0) {
    return { writes: [...removals, ...pods], memory, refusal, lookAgainIn: options.releaseTime }
  }
  return withReleased(options, { writes: pods, memory, refusal }, input.zonalServices)
}

function withReleased(options: PlanOptions, plan: Plan, surplus: readonly Service[]): Plan {
  if (surplus.length === 0) return plan
  const unusedSince = options.memory.unusedSince ?? options.now
  const left = unusedSince + options.releaseTime - options.now
  const memory = { ...plan.memory, unusedSince }
  if (left > 0) return { ...plan, memory, lookAgainIn: Math.min(left, plan.lookAgainIn ?? left) }
  const deletions = surplus.map((service) => ({ kind: 'delete-zonal-service' as const, service }))
  return { ...plan, memory, writes: [...plan.writes, ...deletions] }
}

function otherAnnotations({ written, annotationKey }: PlanOptions): string[] {
  return Object.keys(written).filter((key) => key !== annotationKey)
}
