// Pure: a Node's zone, and its form as a DNS label.
import { createHash } from 'node:crypto'

/** Length limit of a zone key: leaves 38 characters of a 63-character Service name for the prefix and one `-`. */
export const zoneKeyMaxLength = 24

const zoneLabels = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone']

/** The zone in the labels of a Node (or a Binding that the API server labelled), or undefined where it has none. */
export function zoneOf(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  return zoneLabels.map((label) => labels?.[label]).find((zone) => zone !== undefined && zone !== '')
}

/**
 * The zone as a DNS label of at most 24 characters. Distinct zones have distinct keys: where the text had to change,
 * the key ends with six hex digits of the zone's SHA-256, and a zone whose own name ends so gets them as well, or it
 * could have another's key. Stable for ever: names of Services are made of it.
 */
export function zoneKey(zone: string): string {
  const label = zone.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-')
  const isLabel = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label)
  const looksHashed = /-[0-9a-f]{6}$/.test(label)
  if (label === zone && isLabel && !looksHashed && label.length <= zoneKeyMaxLength) return label
  const hash = createHash('sha256').update(zone).digest('hex').slice(0, 6)
  const head = label.slice(0, zoneKeyMaxLength - 7).replaceAll(/^-+|-+$/g, '')
  return head === '' ? `z-${hash}` : `${head}-${hash}`
}
