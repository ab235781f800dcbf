// Pure: each zone's share of the traffic.

/**
 * Configured shares as they are, scaled to add up to 1; otherwise the ready proxies' share, since each proxy is taken to
 * get as much traffic as any other. Undefined where there is neither.
 */
export function sharesOf(
  configured: ReadonlyMap<string, number>,
  /** zone keys of ready proxies, one for each */
  proxies: readonly string[],
): ReadonlyMap<string, number> | undefined {
  if (configured.size > 0) {
    const sum = [...configured.values()].reduce((total, share) => total + share, 0)
    return new Map([...configured].map(([key, share]) => [key, share / sum]))
  }
  if (proxies.length === 0) return undefined
  const counts = Map.groupBy(proxies, (key) => key)
  return new Map([...counts].map(([key, { length }]) => [key, length / proxies.length]))
}
