// Pure: how each primary Service is treated, as the cluster shows it, and what the annotator would do about it now.

import { gather } from '../annotator/cluster/gather.ts'
import { keyOf } from '../annotator/objects/key.ts'
import type { Service } from '../annotator/objects/objects.ts'
import { desired } from '../annotator/plan/desired.ts'
import { writtenOn } from '../annotator/plan/dialects/all.ts'
import type { Input } from '../annotator/plan/input.ts'
import { plan, type Write } from '../annotator/plan/plan.ts'
import type { Refusal } from '../annotator/plan/reasons.ts'
import { enabledLabel, fieldManager, roleLabel, zonalServiceLabel } from '../lib/names.ts'
import { zoneKey } from '../lib/zone.ts'
import type { Installation } from './installation.ts'
import type { CoreEvent, Snapshot } from './snapshot.ts'
import { viewOf } from './view.ts'

/**
 * `zonal`: as it should be; `starting`: about to be; `ending`: it is, but what keeps it from staying so is told by the
 * reason; `off`: left alone.
 */
export type Mode = 'zonal' | 'starting' | 'ending' | 'off'

export interface ZoneState {
  zone: string
  key: string
  /** ready pods that are in it */
  ready: number
  /** ready pods that its proxies take as normal servers, wherever they are */
  serving: number
  /** of the ready pods in it, those that serve another zone */
  lent: number
  /** ready proxies in it */
  proxies: number
}

export interface ServiceState {
  key: string
  namespace: string
  name: string
  mode: Mode
  /** one word: Routed, or why it is left alone */
  reason: string
  message?: string
  /** whether anybody asked for it, or something of ours is there */
  isConcerned: boolean
  zones: readonly ZoneState[]
  lastChange?: { at: number; what: string }
  input: Input
  written: Readonly<Record<string, string>>
  /** what the annotator would write if all its waiting times were over */
  missing: readonly Write[]
}

export function serviceStates(snapshot: Snapshot, installation: Installation): ServiceState[] {
  const view = viewOf(snapshot, installation)
  const events = Map.groupBy(
    snapshot.events.filter(({ involvedObject }) => involvedObject.kind === 'Service'),
    ({ involvedObject }) => keyOf(involvedObject.namespace ?? '', involvedObject.name ?? ''),
  )
  return snapshot.services
    .filter(({ metadata }) => metadata.labels?.[zonalServiceLabel] === undefined)
    .map(({ metadata }) => keyOf(metadata.namespace ?? '', metadata.name ?? ''))
    .sort()
    .flatMap((key) => {
      const isRouted = (service: Service) => Object.keys(writtenOn(service, installation.dialects)).length > 0
      const input = gather(view, key, installation.classRule, isRouted)
      return input === undefined
        ? []
        : [stateOf(key, input, { installation, events: events.get(key) ?? [], now: snapshot.takenAt })]
    })
}

interface Surroundings {
  installation: Installation
  events: readonly CoreEvent[]
  now: number
}

function stateOf(key: string, input: Input, { installation, events, now }: Surroundings): ServiceState {
  const { dialect, dialects, bound } = installation
  const { primary } = input
  const written = writtenOn(primary, dialects)
  const isWritten = Object.keys(written).length > 0
  // a call to move that has lasted: nothing is waited for
  const memory = { guard: { calledSince: 0 }, routableSince: 0, refusedSince: 0, unusedSince: 0 }
  const want = desired(input, dialect, { bound, now, memory: memory.guard })
  const { writes } = plan({
    input,
    desired: want,
    written,
    annotationKey: dialect.annotation,
    memory,
    now,
    graceTime: 0,
    releaseTime: 0,
  })
  const refusal: Refusal | undefined = want.routed ? undefined : want.refusal
  const lastChange = lastChangeOf(input, events)
  return {
    key,
    namespace: primary.metadata.namespace ?? '',
    name: primary.metadata.name ?? '',
    mode: want.routed ? (isWritten ? 'zonal' : 'starting') : isWritten ? 'ending' : 'off',
    reason: refusal?.reason ?? 'Routed',
    ...(refusal && { message: refusal.message }),
    isConcerned:
      isWritten ||
      input.zonalServices.length > 0 ||
      primary.metadata.labels?.[enabledLabel] !== undefined ||
      // a Service of the proxies themselves is no application's
      input.pods.some(({ labels }) => labels[roleLabel] !== 'proxy'),
    zones: zoneStatesOf(input),
    ...(lastChange && { lastChange }),
    input,
    written,
    missing: writes,
  }
}

function zoneStatesOf(input: Input): ZoneState[] {
  const ready = new Set(input.endpoints.flatMap(({ pods }) => pods))
  const pods = input.pods
    .filter(({ name }) => ready.has(name))
    .map((pod) => {
      const zone = input.zoneOfNode.get(pod.nodeName ?? '')
      return { home: zone === undefined ? undefined : zoneKey(zone), serves: pod.serves }
    })
  return input.zones.map(({ zone, key }) => ({
    zone,
    key,
    ready: pods.filter(({ home }) => home === key).length,
    serving: pods.filter(({ serves }) => serves === key).length,
    lent: pods.filter(({ home, serves }) => home === key && serves !== undefined && serves !== key).length,
    proxies: input.proxies.get(key) ?? 0,
  }))
}

/** The newest Event about it; after an hour, when those are gone, the time at which our fields were written. */
function lastChangeOf({ primary, zonalServices }: Input, events: readonly CoreEvent[]) {
  const told = events
    .filter(({ involvedObject }) => involvedObject.uid === primary.metadata.uid)
    .map(({ lastTimestamp, reason }) => ({ at: Date.parse(lastTimestamp ?? ''), what: reason ?? '' }))
  const wrote = [primary, ...zonalServices].flatMap(({ metadata }) =>
    (metadata.managedFields ?? [])
      .filter(({ manager, operation }) => manager === fieldManager && operation === 'Apply')
      .map(({ time }) => ({ at: Date.parse(String(time)), what: 'written' })),
  )
  return [...told, ...wrote].filter(({ at }) => !Number.isNaN(at)).sort((a, b) => b.at - a.at)[0]
}
