// Pure: what should exist for one primary Service.
import { enabledLabel } from '../../lib/names.ts'
import type { GuardMemory } from '../load-guard/guard.ts'
import type { Service } from '../objects/objects.ts'
import type { Dialect, Servers } from './dialects/dialect.ts'
import { refusalOf } from './eligibility.ts'
import type { Input } from './input.ts'
import { portsByBackend } from './ports.ts'
import type { Refusal } from './reasons.ts'
import { refusalOfSettings } from './refused-settings.ts'
import { guardedServing, type ServingOptions } from './serving.ts'
import { slotsFor } from './slots.ts'
import { choosePrefix, familyOf, foreignNames, possiblePrefixes, zonalService } from './zonal-services.ts'

export type Desired = Routed | { routed: false; refusal: Refusal }

export interface Routed {
  routed: true
  annotation: string
  /** what it says */
  servers: Servers
  zonalServices: readonly Service[]
  /** the zone that each pod serves, by pod name; undefined: none */
  serves: ReadonlyMap<string, string | undefined>
  /** see serving.ts */
  openZones: number
  guardMemory: GuardMemory
  /** ms until time alone could change any of it */
  lookAgainIn?: number
}

export function desired(input: Input, dialect: Dialect, options: Omit<ServingOptions, 'isNew'>): Desired {
  const refusal = refusalOf(input) ?? refusalOfSettings(input, dialect)
  if (refusal) return { routed: false, refusal }
  if (!dialect.reachesTCP && !input.hasIngress) {
    const message = `no Ingress routes to it, and the annotation ${dialect.annotation} has no effect on what TCP resources route to: take its label ${enabledLabel} off, or use a snippet dialect`
    return { routed: false, refusal: { reason: 'NoIngress', message } }
  }
  const routes = dialect.reachesTCP ? [...input.routes, ...input.tcpRoutes] : input.routes
  const found = portsByBackend({ ...input, routes }, dialect.words)
  if ('refusal' in found) return { routed: false, refusal: found.refusal }
  if (Object.keys(found.ports).length === 0) {
    const message = 'the Ingresses that route to it name ports that it does not have'
    return { routed: false, refusal: { reason: 'NotRouted', message } }
  }

  const { primary } = input
  const value = primary.metadata.annotations?.[dialect.annotation]
  const today = dialect.read(value)
  const prefix = choosePrefix(input, today?.prefix)
  if (prefix === undefined) {
    const names = possiblePrefixes(primary).flatMap((each) => foreignNames(input, each))
    const message = `somebody else's Service has a name that HAProxy would resolve for one of the zones: rename ${names.join(' and ')}`
    return { routed: false, refusal: { reason: 'NameTaken', message } }
  }

  const servers = {
    namespace: primary.metadata.namespace ?? '',
    prefix,
    slots: slotsFor(podsToHold(input, today?.slots), today?.slots),
    family: familyOf(primary),
    ports: found.ports,
  }
  const refused = dialect.refuse(servers, value)
  if (refused) return { routed: false, refusal: refused }
  const serving = guardedServing(input, { ...options, isNew: today === undefined })
  if ('refusal' in serving) return { routed: false, refusal: serving.refusal }
  const { serves, memory, openZones, lookAgainIn } = serving
  return {
    routed: true,
    annotation: dialect.write(servers),
    servers,
    zonalServices: input.zones.map((zone) => zonalService(primary, prefix, zone)),
    serves,
    openZones,
    guardMemory: memory,
    ...(lookAgainIn !== undefined && { lookAgainIn }),
  }
}

/** Ready ones, and at the first choice also those that aren't yet: it may fall into a rollout's least ready moment. */
function podsToHold({ endpoints }: Input, today: number | undefined): number {
  const names = endpoints.flatMap(({ pods, unreadyPods }) =>
    today === undefined ? [...pods, ...unreadyPods] : pods,
  )
  return new Set(names).size
}
