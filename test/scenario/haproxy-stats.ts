// What a HAProxy says of itself: its statistics page over HTTP, as any monitoring reads it.

export interface ServerStats {
  backend: string
  server: string
  status: string
  isActive: boolean
  isBackup: boolean
  address: string
  requests: number
  bytesOut: number
}

/** Servers of one HAProxy; `address` is its statistics page's host:port. */
export async function readServers(address: string): Promise<ServerStats[]> {
  const answer = await fetch(`http://${address}/;csv`, { signal: AbortSignal.timeout(5_000) })
  if (!answer.ok) throw new Error(`statistics of ${address}: status ${answer.status}`)
  return parseServers(await answer.text())
}

export function parseServers(csv: string): ServerStats[] {
  const [header = '', ...lines] = csv.trim().split('\n')
  const columns = header.replace(/^# /, '').split(',')
  return lines
    .map((line) => {
      const cells = line.split(',')
      return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))
    })
    .filter(({ svname }) => svname !== 'FRONTEND' && svname !== 'BACKEND')
    .map((row) => ({
      backend: row.pxname ?? '',
      server: row.svname ?? '',
      status: row.status ?? '',
      isActive: row.act === '1',
      isBackup: row.bck === '1',
      address: row.addr ?? '',
      requests: Number(row.stot ?? 0),
      bytesOut: Number(row.bout ?? 0),
    }))
}

/** When the worker that serves now was started: it changes with each reload, and with nothing else. */
export async function readWorkerStart(address: string): Promise<string> {
  const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(5_000) })
  const found = /^haproxy_process_start_time_seconds (\S+)$/m.exec(await answer.text())
  if (!found?.[1]) throw new Error(`${address}/metrics has no haproxy_process_start_time_seconds`)
  return found[1]
}
