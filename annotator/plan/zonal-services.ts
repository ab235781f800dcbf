// Pure: the zonal Services of a primary, as they are to be and as they are.
import { isDeepStrictEqual } from 'node:util'
import type { V1ServicePort } from '@kubernetes/client-node'
import { servesLabel, zonalServiceLabel } from '../../lib/names.ts'
import { Index } from '../objects/object-index.ts'
import type { Service } from '../objects/objects.ts'
import type { Input, Zone } from './input.ts'
import type { AddressFamily } from './server-lines.ts'
import { hashedPrefix, readablePrefix, zonalName } from './zonal-name.ts'

/** The headless Service that selects the primary's pods that serve this zone. Nothing of the primary's metadata is
 * copied: tools that own the primary would take the copy for theirs. */
export function zonalService(primary: Service, prefix: string, { key }: Zone): Service {
  const { name = '', namespace = '', uid = '' } = primary.metadata
  const owner = { apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: false }
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: zonalName(prefix, key),
      namespace,
      labels: { [zonalServiceLabel]: key },
      ownerReferences: [owner],
    },
    spec: {
      clusterIP: 'None',
      selector: { ...primary.spec?.selector, [servesLabel]: key },
      ports: (primary.spec?.ports ?? []).map(portAlone),
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: (primary.spec?.ipFamilies ?? []).slice(0, 1),
    },
  }
}

/** That of the addresses of its zonal Services. */
export function familyOf({ spec }: Service): AddressFamily {
  return spec?.ipFamilies?.[0] === 'IPv6' ? 'ipv6' : 'ipv4'
}

/** Zonal Services by their primary's UID. */
export function zonalServiceIndex(): Index<Service> {
  return new Index(
    ({ metadata }) =>
      metadata.labels?.[zonalServiceLabel] === undefined
        ? []
        : (metadata.ownerReferences ?? []).map(({ uid }) => uid),
    ({ metadata }) => metadata.name ?? '',
  )
}

/** Whether the API server holds everything that we want of a zonal Service, whatever it and others added. */
export function isAsWanted(actual: Service, wanted: Service): boolean {
  const { labels, ownerReferences } = actual.metadata
  const { clusterIP, selector, ports, ipFamilyPolicy, ipFamilies } = actual.spec ?? {}
  return (
    labels?.[zonalServiceLabel] === wanted.metadata.labels?.[zonalServiceLabel] &&
    isDeepStrictEqual(ownerReferences, wanted.metadata.ownerReferences) &&
    isDeepStrictEqual(
      { clusterIP, selector, ports: (ports ?? []).map(portAlone), ipFamilyPolicy, ipFamilies },
      wanted.spec,
    )
  )
}

/** Those that exist and are not as the primary would have them, as they are to be. Names are not changed by it. */
export function overdueZonalServices({ primary, zonalServices }: Input): Service[] {
  return zonalServices.flatMap((actual) => {
    const key = actual.metadata.labels?.[zonalServiceLabel] ?? ''
    const prefix = actual.metadata.name?.slice(0, -zonalName('', key).length) ?? ''
    const wanted = zonalService(primary, prefix, { zone: key, key })
    return wanted.metadata.name !== actual.metadata.name || isAsWanted(actual, wanted) ? [] : [wanted]
  })
}

/**
 * Also where it belonged to an earlier Service of the primary's name, replaced by this one: the garbage collector is
 * about to take it, unless it gets its new owner before.
 */
function isZonalServiceOf(service: Service, primary: Service): boolean {
  const owners = service.metadata.ownerReferences ?? []
  return (
    service.metadata.labels?.[zonalServiceLabel] !== undefined &&
    owners.some(({ kind, name }) => kind === 'Service' && name === primary.metadata.name)
  )
}

/**
 * The prefix for all zones of a primary, chosen once: `today`'s while there is one. Of the two possible ones the
 * readable one, unless a Service of somebody else sits under one of its names. Undefined where both are taken.
 */
export function choosePrefix(input: Input, today: string | undefined): string | undefined {
  const candidates = possiblePrefixes(input.primary)
  const isFree = (prefix: string) => foreignNames(input, prefix).length === 0
  if (today !== undefined && candidates.includes(today)) return isFree(today) ? today : undefined
  return candidates.find(isFree)
}

/** The one to be taken first comes first. */
export function possiblePrefixes({ metadata: { name = '', namespace = '' } }: Service): string[] {
  return [readablePrefix(name), hashedPrefix(namespace, name)].filter((prefix) => prefix !== undefined)
}

/** Names that HAProxy would resolve and that belong to somebody else. */
export function foreignNames({ primary, zones, neighbours }: Input, prefix: string): string[] {
  return zones
    .map(({ key }) => zonalName(prefix, key))
    .filter((name) => {
      const service = neighbours.get(name)
      return service !== undefined && !isZonalServiceOf(service, primary)
    })
}

function portAlone({ name, port, protocol, targetPort }: V1ServicePort): V1ServicePort {
  return {
    ...(name !== undefined && { name }),
    port,
    protocol: protocol ?? 'TCP',
    targetPort: targetPort ?? port,
  }
}
