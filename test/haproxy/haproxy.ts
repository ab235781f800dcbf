// A running HAProxy in a network of its own, whose DNS server is the test's, and what a test asks of it. Programs
// that use it import ../cluster/enter.ts first.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { hostOf, isUp, parseServers, type ServerStats } from '../../cli/haproxy-stats.ts'
import { until } from '../cluster/until.ts'
import { auxiliaryText, configuration } from './configuration.ts'
import { type DNSServer, startDNSServer } from './dns-server.ts'
import { startHAProxyProcess } from './process.ts'

export const zone = 'zone-1'

export interface Answers {
  requests: number
  /** answers by the address of the pod that gave them */
  byPod: Record<string, number>
  /** what went wrong, by status or error code */
  failures: Record<string, number>
}

export interface HAProxy {
  readonly dns: DNSServer
  /** A command of the runtime API. */
  run(command: string): Promise<string>
  /** Servers of a backend, those with neither address nor state too. */
  servers(backend: string): Promise<ServerStats[]>
  /** The backend's own line of `show stat`. */
  totals(backend: string): Promise<Record<string, string>>
  /** Waits until HAProxy has asked for a name so many times. */
  untilAsked(host: string, times: number): Promise<void>
  /** Waits until exactly these addresses are up among the template's servers; a server without one counts. */
  untilLocal(backend: string, addresses: readonly string[]): Promise<void>
  send(backend: string, count: number): Promise<Answers>
  /** Sends requests one after the other until the returned function is called. */
  load(backend: string): () => Promise<Answers>
}

export interface HAProxyOptions {
  backends: ReadonlyMap<string, string>
  /** instead of the installed file's */
  resolvers?: string
  env?: Record<string, string>
}

const listen = '127.0.0.1:8000'

export const isLocal = ({ server }: ServerStats) => server.startsWith('local-')

/** One at a time in a program. Its end is the test's. */
export async function startHAProxy(t: Test, options: HAProxyOptions): Promise<HAProxy> {
  const { backends, resolvers = auxiliaryText, env = { ZONE: zone, ZONE_RESOLVERS: 'zonefirst' } } = options
  const folder = mkdtempSync(join(tmpdir(), 'zonefirst-haproxy-'))
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const dns = await startDNSServer('127.0.0.1')
  const socket = join(folder, 'admin.sock')
  const files = [
    file('haproxy.cfg', configuration(backends.values(), { socket, listen })),
    // the test's DNS server instead of the machine's
    file('aux.cfg', resolvers.replace('parse-resolv-conf', 'nameserver test 127.0.0.1:53')),
  ]
  t.teardown(() => {
    dns.close()
    rmSync(folder, { recursive: true })
  })
  const program = process.env.HAPROXY ?? 'haproxy'
  const { run, stop } = await startHAProxyProcess({ program, files, socket, env })
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  t.teardown(() => {
    agent.destroy()
    return stop()
  })

  const servers = async (name: string) =>
    parseServers(await run(`show stat ${name} 4 -1`)).filter(({ backend }) => backend === name)
  return {
    dns,
    run,
    servers,
    async totals(name) {
      const [header = '', line = ''] = (await run(`show stat ${name} 2 -1`)).trim().split('\n')
      const cells = line.split(',')
      const columns = header.replace('# ', '').split(',')
      return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))
    },
    async untilAsked(host, times) {
      await until(`HAProxy asks for ${host}`, () => dns.asked(host) >= times)
    },
    async untilLocal(name, addresses) {
      const want = [...addresses].sort().join()
      const timeoutMs = 60_000
      const check = async () => {
        const up = (await servers(name)).filter((server) => isLocal(server) && isUp(server))
        const found = up.map(({ address }) => hostOf(address))
        if (found.sort().join() === want) return true
        throw new Error(`${found.length} are`)
      }
      await until(`${addresses.length} local servers are up`, check, { timeoutMs })
    },
    async send(name, count) {
      const answers = empty()
      let left = count
      const connection = async () => {
        while (left-- > 0) await requestOnce(agent, name, answers)
      }
      await Promise.all([connection(), connection(), connection(), connection()])
      return answers
    },
    load(name) {
      const answers = empty()
      let isOver = false
      const sending = (async () => {
        while (!isOver) await requestOnce(agent, name, answers)
      })()
      const stop = async () => {
        isOver = true
        await sending
        return answers
      }
      t.teardown(stop)
      return stop
    },
  }
}

const empty = (): Answers => ({ requests: 0, byPod: {}, failures: {} })

async function requestOnce(agent: Agent, name: string, answers: Answers): Promise<void> {
  const count = (counts: Record<string, number>, key: string) => {
    counts[key] = (counts[key] ?? 0) + 1
  }
  answers.requests++
  try {
    const { status, body } = await ask(agent, name)
    if (status === 200) count(answers.byPod, body)
    else count(answers.failures, `status ${status}`)
  } catch (error) {
    count(answers.failures, (error as NodeJS.ErrnoException).code ?? String(error))
  }
}

async function ask(
  agent: Agent,
  name: string,
  isRepeated = false,
): Promise<{ status: number; body: string }> {
  const [hostname, port] = listen.split(':')
  const outgoing = request({ agent, hostname, port, headers: { 'x-backend': name } })
  outgoing.end()
  try {
    const [answer] = await once(outgoing, 'response')
    return { status: answer.statusCode, body: await text(answer) }
  } catch (error) {
    // HAProxy passes on that an idle connection was closed just as it was used again: clients send anew then
    if (isRepeated || !outgoing.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET')
      throw error
    return ask(agent, name, true)
  }
}
