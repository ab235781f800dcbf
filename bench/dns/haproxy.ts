// A HAProxy with one backend as the controller writes it and the resolvers section that is to be measured, and what can
// be seen of its resolving: when servers get and lose their addresses, how many questions it sends.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hostOf, parseServers } from '../../cli/haproxy-stats.ts'
import { configuration } from '../../test/haproxy/configuration.ts'
import { startHAProxyProcess } from '../../test/haproxy/process.ts'

export interface ResolvingHAProxy {
  /** Addresses that servers of the template have now. */
  addresses(): Promise<Set<string>>
  /** Questions since its start. */
  questions(): Promise<number>
  stop(): Promise<void>
}

export interface HAProxySketch {
  folder: string
  backend: string
  resolvers: string
  zone: string
}

export async function startResolvingHAProxy(
  program: string,
  sketch: HAProxySketch,
): Promise<ResolvingHAProxy> {
  const { folder, backend, resolvers, zone } = sketch
  await mkdir(folder, { recursive: true })
  const file = (name: string) => join(folder, name)
  const socket = file('admin.sock')
  const listen = `unix@${file('http.sock')}`
  await writeFile(file('haproxy.cfg'), configuration([backend], { socket, listen }))
  await writeFile(file('aux.cfg'), resolvers)
  const { run, stop } = await startHAProxyProcess({
    program,
    files: ['haproxy.cfg', 'aux.cfg'].map(file),
    socket,
    env: { ZONE: zone, ZONE_RESOLVERS: 'zonefirst' },
  })
  return {
    async addresses() {
      const servers = parseServers(await run('show stat -1 4 -1'))
      const resolved = servers.filter(
        ({ server, status }) => server.startsWith('local-') && !status.startsWith('MAINT'),
      )
      return new Set(resolved.map(({ address }) => hostOf(address)))
    },
    async questions() {
      return Number(/sent:\s*(\d+)/.exec(await run('show resolvers zonefirst'))?.[1])
    },
    stop,
  }
}
