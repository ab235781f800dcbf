// Reads from a proxy's statistics port what its backends have: over HTTP, as any monitoring does.
import { type PageLimits, readPage } from '../../lib/page.ts'

const path = '/metrics?scope=backend&metrics=haproxy_backend_active_servers,haproxy_backend_backup_servers'
/** Older HAProxies send everything about every backend: some kilobytes each. */
const limits: PageLimits = { time: 5_000, length: 32 * 2 ** 20 }

export async function readBackendMetrics(address: string, port: number): Promise<string> {
  const { status, text } = await readPage(address, port, path, limits)
  if (status !== 200) throw new Error(`${address}:${port}/metrics: status ${status}`)
  return text
}
