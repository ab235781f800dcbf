// What a HAProxy says of itself: its statistics page over HTTP, as any monitoring reads it.
import { parseServers, type ServerStats, workerStartOf } from '../../cli/haproxy-stats.ts'

export type { ServerStats }

/** On a new connection each time: one that is used again would hold the worker that a reload has replaced. */
const read = (url: string) =>
  fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5_000) })

/** Servers of one HAProxy; `address` is its statistics page's host:port. */
export async function readServers(address: string): Promise<ServerStats[]> {
  const answer = await read(`http://${address}/;csv`)
  if (!answer.ok) throw new Error(`statistics of ${address}: status ${answer.status}`)
  return parseServers(await answer.text())
}

/** When the worker that serves now was started, ms: it changes with each reload, and with nothing else. */
export async function readWorkerStart(address: string): Promise<number> {
  const answer = await read(`http://${address}/metrics`)
  const start = workerStartOf(await answer.text())
  if (start === undefined) throw new Error(`${address}/metrics has no haproxy_process_start_time_seconds`)
  return start
}
