// Pure: which zone each pod of a routed Service serves: its own, unless the load guard says otherwise.

import { type GuardMemory, guard } from '../load-guard/guard.ts'
import type { Input } from './input.ts'
import type { Refusal } from './reasons.ts'

export interface ServingOptions {
  /** the most that a pod may carry, as a multiple of its fair share */
  bound: number
  now: number
  memory: GuardMemory
  /** see guard.ts */
  isNew: boolean
}

export interface GuardedServing {
  /** by pod name; undefined: none */
  serves: ReadonlyMap<string, string | undefined>
  memory: GuardMemory
  /** zones with traffic that no ready pod serves: theirs spreads over all pods */
  openZones: number
  /** ms until time alone could change it */
  lookAgainIn?: number
}

/** Every ready pod has to be stamped. Without a ready proxy there is no traffic to guard: all serve their own zones. */
export function guardedServing(
  input: Input,
  { bound, now, memory, isNew }: ServingOptions,
): GuardedServing | { refusal: Refusal } {
  const { shares, pods, pinnedPods } = input
  if (shares === undefined) return { serves: new Map(), memory: {}, openZones: 0 }
  const readyNames = new Set(input.endpoints.flatMap((slice) => slice.pods))
  const ready = pods
    .filter(({ name }) => readyNames.has(name))
    .map(({ name, zoneKey = '', serves }) => ({ name, zone: zoneKey, serves, pinned: pinnedPods.has(name) }))
  const guarded = guard({ shares, pods: ready, bound, now, memory, isNew })
  if (guarded === undefined) {
    const message =
      'it shares pods with another Service, which keeps them from being lent between zones, and without that some zone would be overloaded: spread the pods more evenly, or let both Services select the same ones'
    return { refusal: { reason: 'SharedPods', message } }
  }

  const serves = new Map(guarded.serves)
  const served = new Set(serves.values())
  const openZones = [...shares].filter(([zone, share]) => share > 0 && !served.has(zone)).length
  for (const pod of pods) {
    if (readyNames.has(pod.name)) continue
    // one that gets ready in an open zone would at once take all of its traffic; others stay what they are
    const home = pod.zoneKey ?? ''
    // (of one that is pinned another Service may think otherwise: it never leaves its own zone)
    const isOpen = !pinnedPods.has(pod.name) && (shares.get(home) ?? 0) > 0 && !served.has(home)
    const keeps = pod.serves !== undefined && (pod.serves !== home || !isOpen)
    serves.set(pod.name, keeps ? pod.serves : isOpen ? undefined : home)
  }
  return { ...guarded, serves, openZones }
}
