// Reads from a proxy's statistics port what its backends have: over HTTP, as any monitoring does. The proxy is not trusted:
// it can neither send the reader elsewhere nor fill its memory.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

const timeout = 5_000
/** Older HAProxies send everything about every backend: some kilobytes each. */
const mostCharacters = 32 * 1024 * 1024

export async function readBackendMetrics(address: string, port: number): Promise<string> {
  const names = ['haproxy_backend_active_servers', 'haproxy_backend_backup_servers'].join(',')
  const asking = request({
    host: address,
    port,
    path: `/metrics?scope=backend&metrics=${names}`,
    // a connection that is used again would hold the worker that a reload has replaced, and show what was
    agent: false,
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(timeout),
  }).end()
  // an error that comes with the answer under way is thrown where that is read
  asking.on('error', () => {})
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  try {
    if (answer.statusCode !== 200) throw new Error(`${address}:${port}/metrics: status ${answer.statusCode}`)
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) {
      text += chunk
      if (text.length > mostCharacters) throw new Error(`${address}:${port}/metrics is too long`)
    }
    return text
  } finally {
    answer.destroy()
  }
}
