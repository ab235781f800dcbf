// Pure: what a HAProxy's statistics page says, as CSV, and when its worker was started.

export interface ServerStats {
  backend: string
  server: string
  status: string
  isActive: boolean
  isBackup: boolean
  /** ip:port, or '' where the page doesn't show addresses (`stats show-legends`) */
  address: string
  requests: number
  /** from the proxy to the server */
  bytesIn: number
  /** from the server to the proxy */
  bytesOut: number
}

/** Every server of every backend; throws where the text is no statistics. */
export function parseServers(csv: string): ServerStats[] {
  const [header = '', ...lines] = csv.trim().split('\n')
  const columns = header.replace(/^# /, '').split(',')
  if (!['pxname', 'svname', 'stot', 'bin', 'bout'].every((column) => columns.includes(column))) {
    throw new Error('the answer is not HAProxy’s statistics as CSV')
  }
  return lines
    .map((line) => {
      const cells = cellsOf(line)
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
      bytesIn: Number(row.bin ?? 0),
      bytesOut: Number(row.bout ?? 0),
    }))
}

/** What a check said last may hold commas, and is quoted then. */
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',')
  return [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  )
}

export function isUp({ status }: Pick<ServerStats, 'status'>): boolean {
  return status.startsWith('UP') || status === 'no check'
}

/** ms; counters begin then. It changes with each reload, and with nothing else. */
export function workerStartOf(metrics: string): number | undefined {
  const found = /^haproxy_process_start_time_seconds (\S+)$/m.exec(metrics)
  return found === null ? undefined : Number(found[1]) * 1_000
}

export function versionOf(metrics: string): string | undefined {
  return /^haproxy_process_build_info\{.*?version="([^"]+)"/m.exec(metrics)?.[1]
}

/** Without the port; also of an IPv6 address. */
export function hostOf(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}
