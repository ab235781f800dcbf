// A HAProxy with one backend as the controller writes it and the resolvers section that is to be measured, and what can
// be seen of its resolving: when servers get and lose their addresses, how many questions it sends.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { configuration } from '../../test/haproxy/configuration.ts'
import { startHAProxyProcess } from '../../test/haproxy/process.ts'
import { resolvedAddresses } from './servers-state.ts'

export interface ResolvingHAProxy {
  /** A socket that it takes requests at. */
  readonly listen: string
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
    listen: file('http.sock'),
    async addresses() {
      return resolvedAddresses(await run('show servers state'))
    },
    async questions() {
      return Number(/sent:\s*(\d+)/.exec(await run('show resolvers zonefirst'))?.[1])
    },
    stop,
  }
}

/** Questions a second of each, in this time, by HAProxy's own count. */
export async function countQuestions(
  rows: readonly { haproxy: ResolvingHAProxy }[],
  seconds: number,
): Promise<number[]> {
  const count = () => Promise.all(rows.map(({ haproxy }) => haproxy.questions()))
  const [before, startedAt] = [await count(), performance.now()]
  await pause(seconds * 1_000)
  const [after, passed] = [await count(), (performance.now() - startedAt) / 1_000]
  return rows.map((_, index) => ((after[index] ?? 0) - (before[index] ?? 0)) / passed)
}
