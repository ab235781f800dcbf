// Pure: HAProxy's counters over a span of time: since each one's last reload, when they began at 0, or since a saved run.
import type { ServerStats } from '../haproxy-stats.ts'
import type { ProxyStats } from '../proxy-stats.ts'

export interface ServerCounters
  extends Pick<ServerStats, 'backend' | 'server' | 'requests' | 'bytesIn' | 'bytesOut'> {
  /** as it is now: counters don't know earlier ones */
  address: string
}

export interface ProxyCounters {
  namespace: string
  pod: string
  uid: string
  /** ms; undefined where it is not known since when they count */
  span: number | undefined
  servers: readonly ServerCounters[]
}

/** What `--save` writes and `--since` reads. */
export interface SavedCounters {
  format: 'zonefirst-counters-1'
  /** ms */
  takenAt: number
  proxies: readonly {
    uid: string
    workerStart?: number
    servers: readonly (readonly [
      backend: string,
      server: string,
      requests: number,
      bytesIn: number,
      bytesOut: number,
    ])[]
  }[]
}

/** Those that could be read. */
export function countersOf(
  stats: readonly ProxyStats[],
  now: number,
  since?: SavedCounters,
): ProxyCounters[] {
  const saved = new Map((since?.proxies ?? []).map((proxy) => [proxy.uid, proxy]))
  return stats
    .filter(({ failure }) => failure === undefined)
    .map(({ namespace, pod, uid, workerStart, servers }) => {
      const before = saved.get(uid)
      // a reload begins at 0, a new pod as well
      const isSameWorker =
        before !== undefined &&
        since !== undefined &&
        (before.workerStart === workerStart || workerStart === undefined)
      const start = isSameWorker ? since.takenAt : workerStart
      const known = new Map(
        (isSameWorker ? before.servers : []).map(([backend, server, ...counts]) => [
          `${backend} ${server}`,
          counts,
        ]),
      )
      return {
        namespace,
        pod,
        uid,
        span: start === undefined ? undefined : Math.max(now - start, 1),
        servers: servers.map(({ backend, server, address, ...counters }) => {
          const [requests = 0, bytesIn = 0, bytesOut = 0] = known.get(`${backend} ${server}`) ?? []
          return {
            backend,
            server,
            address,
            requests: Math.max(counters.requests - requests, 0),
            bytesIn: Math.max(counters.bytesIn - bytesIn, 0),
            bytesOut: Math.max(counters.bytesOut - bytesOut, 0),
          }
        }),
      }
    })
}

export function savedCounters(stats: readonly ProxyStats[], takenAt: number): SavedCounters {
  return {
    format: 'zonefirst-counters-1',
    takenAt,
    proxies: stats
      .filter(({ failure }) => failure === undefined)
      .map(({ uid, workerStart, servers }) => ({
        uid,
        ...(workerStart !== undefined && { workerStart }),
        servers: servers
          .filter(({ requests }) => requests > 0)
          .map(
            ({ backend, server, requests, bytesIn, bytesOut }) =>
              [backend, server, requests, bytesIn, bytesOut] as const,
          ),
      })),
  }
}

/** Throws where the text is not what `--save` wrote; its message completes "the file is". */
export function parseSaved(text: string): SavedCounters {
  let value: Partial<SavedCounters> | null
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('no JSON')
  }
  if (value?.format !== 'zonefirst-counters-1' || !Array.isArray(value.proxies)) {
    throw new Error('not what zonefirst report --save writes')
  }
  return value as SavedCounters
}
