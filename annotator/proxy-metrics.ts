// Reads from a proxy's statistics port what its backends have: over HTTP, as any monitoring does. The proxy is not trusted:
// it can neither send the reader elsewhere nor fill its memory.
import { isIPv6 } from 'node:net'

const timeout = 5_000
/** Older HAProxies send everything about every backend: some kilobytes each. */
const mostCharacters = 32 * 1024 * 1024

export async function readBackendMetrics(address: string, port: number): Promise<string> {
  const host = isIPv6(address) ? `[${address}]` : address
  const names = ['haproxy_backend_active_servers', 'haproxy_backend_backup_servers'].join(',')
  const answer = await fetch(`http://${host}:${port}/metrics?scope=backend&metrics=${names}`, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  })
  if (!answer.ok || answer.body === null) throw new Error(`${host}:${port}/metrics: status ${answer.status}`)
  let text = ''
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.length > mostCharacters) throw new Error(`${host}:${port}/metrics is too long`)
  }
  return text
}
