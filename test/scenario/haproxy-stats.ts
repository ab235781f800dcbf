// What a HAProxy says of itself: its statistics page over HTTP, as any monitoring reads it.
import { parseServers, type ServerStats, workerStartOf } from '../../cli/haproxy-stats.ts'
import { readPage } from '../../lib/page.ts'

export type { ServerStats }

async function read(address: string, path: string): Promise<string> {
  const [host = '', port] = address.split(':')
  const { status, text } = await readPage(host, Number(port), path, { time: 5_000, length: 2 ** 26 })
  if (status !== 200) throw new Error(`statistics of ${address}: status ${status}`)
  return text
}

/** Servers of one HAProxy; `address` is its statistics page's host:port. */
export async function readServers(address: string): Promise<ServerStats[]> {
  return parseServers(await read(address, '/;csv'))
}

/** When the worker that serves now was started, ms: it changes with each reload, and with nothing else. */
export async function readWorkerStart(address: string): Promise<number> {
  const start = workerStartOf(await read(address, '/metrics'))
  if (start === undefined) throw new Error(`${address}/metrics has no haproxy_process_start_time_seconds`)
  return start
}
