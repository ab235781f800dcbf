// Pure: each zone's share of the traffic.
import { zoneKey } from '../../lib/zone.ts'
import type { Pod } from '../objects/objects.ts'

/** How many ready proxies each zone has, by key. */
export function proxiesByZone(
  pods: Iterable<Pick<Pod, 'isReadyProxy' | 'nodeName'>>,
  zoneOfNode: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { isReadyProxy, nodeName = '' } of pods) {
    const zone = isReadyProxy ? zoneOfNode.get(nodeName) : undefined
    if (zone !== undefined) counts.set(zoneKey(zone), (counts.get(zoneKey(zone)) ?? 0) + 1)
  }
  return counts
}

/**
 * Configured shares as they are, scaled to add up to 1; otherwise the ready proxies' share, since each proxy is taken to
 * get as much traffic as any other. Undefined where there is neither.
 */
export function sharesOf(
  configured: ReadonlyMap<string, number>,
  proxies: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> | undefined {
  const weights = configured.size > 0 ? configured : proxies
  if (weights.size === 0) return undefined
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0)
  return new Map([...weights].map(([key, weight]) => [key, weight / sum]))
}
