// Pure: names of zonal Services. A name is `<prefix>-<zone key>`, since HAProxy itself pastes the zone key to the
// prefix; so the prefix must not depend on the zone.
import { createHash } from 'node:crypto'
import { zoneKeyMaxLength } from '../../lib/zone.ts'

const nameMaxLength = 63
const prefixMaxLength = nameMaxLength - zoneKeyMaxLength - 1

export function zonalName(prefix: string, zoneKey: string): string {
  return `${prefix}-${zoneKey}`
}

/**
 * The prefix that people can read, `<service>-in`, or undefined where names made of it could be too long or could
 * equal those of another primary. Up to their first `-in-`, names made of it tell their primary: so two primaries
 * never share one.
 */
export function readablePrefix(service: string): string | undefined {
  const prefix = `${service}-in`
  const tellsItsPrimary = `${prefix}-`.indexOf('-in-') === service.length
  return prefix.length <= prefixMaxLength && tellsItsPrimary ? prefix : undefined
}

/** The prefix that always fits and, by a hash of 40 bits, collides with no other. */
export function hashedPrefix(namespace: string, service: string): string {
  return `zf-${createHash('sha256').update(`${namespace}/${service}`).digest('hex').slice(0, 10)}`
}

/** The primary that a name made of a readable prefix would belong to, or undefined for any other name. */
export function primaryOfName(name: string): string | undefined {
  const end = name.indexOf('-in-')
  return end > 0 ? name.slice(0, end) : undefined
}
