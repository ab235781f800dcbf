// A HAProxy with one backend as the controller writes it and the resolvers section that is to be measured, and what can
// be seen of its resolving: when servers get and lose their addresses, how many questions it sends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseServers } from '../../cli/haproxy-stats.ts'
import { until } from '../../test/cluster/until.ts'
import { configuration } from '../../test/haproxy/configuration.ts'

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
  const argv = ['-db', '-f', file('haproxy.cfg'), '-f', file('aux.cfg')]
  const env = { ZONE: zone, ZONE_RESOLVERS: 'zonefirst' }
  const child = spawn(program, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const complaints = text(child.stderr)
  const ended = once(child, 'exit')

  const run = (command: string) => {
    const connection = connect(socket)
    connection.end(`${command}\n`)
    return text(connection)
  }
  await Promise.race([
    until('HAProxy answers', () => run('show info')),
    ended.then(async () => {
      throw new Error(`HAProxy ended:\n${await complaints}`)
    }),
  ])
  return {
    async addresses() {
      const servers = parseServers(await run('show stat -1 4 -1'))
      const resolved = servers.filter(
        ({ server, status }) => server.startsWith('local-') && !status.startsWith('MAINT'),
      )
      return new Set(resolved.map(({ address }) => address.replace(/:\d+$/, '')))
    },
    async questions() {
      return Number(/sent:\s*(\d+)/.exec(await run('show resolvers zonefirst'))?.[1])
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
