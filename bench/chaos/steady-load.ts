// The load on every zone's ingress controllers, of both sides at once, from the first fault to the last: one process a
// zone. Where a zone has no ready ingress controller, its requests go to another zone's, as a load balancer sends them.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Cluster } from '../../test/cluster/cluster.ts'
import type { Placed } from './pods.ts'
import type { Answer, LoadOptions, Order, Sample, Target } from './samples.ts'
import { hostOf, type SideName, sides } from './sides.ts'

interface Sender {
  zone: string
  child: ChildProcess
}

export class SteadyLoad {
  #samples: Sample[] = []
  readonly #senders: readonly Sender[]
  readonly #settling = new Map<string, () => void>()
  readonly #targets = new Map<string, string>()
  #orders = 0

  constructor({ network, zones }: Cluster, options: LoadOptions) {
    this.#senders = zones.map((zone) => {
      const [command = '', ...args] = [
        ...network.enterZone(zone),
        ...[process.execPath, 'bench/chaos/load-main.ts', JSON.stringify(options)],
      ]
      const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
      child.stdin?.on('error', () => {})
      createInterface({ input: child.stdout }).on('line', (line) => this.#hear(zone, JSON.parse(line)))
      return { zone, child }
    })
  }

  /** Of the requests since the last call of `forget`. */
  get samples(): readonly Sample[] {
    return this.#samples
  }

  forget(): void {
    this.#samples = []
  }

  /** The ingress controllers that are ready now, with their zones. */
  aim(ready: Readonly<Record<SideName, readonly Placed[]>>): void {
    for (const { zone, child } of this.#senders) {
      const targets = sides.flatMap((side): Target[] => {
        const proxies = ready[side.name]
        const proxy = proxies.find((each) => each.zone === zone) ?? proxies[0]
        if (!proxy) return []
        return [{ side: side.name, zone: proxy.zone, address: `${proxy.address}:80`, host: hostOf(side) }]
      })
      // without any, the last ones are asked on, and fail
      if (targets.length < sides.length) continue
      const text = JSON.stringify(targets)
      if (this.#targets.get(zone) === text) continue
      this.#targets.set(zone, text)
      this.#tell(child, { targets })
    }
  }

  /** Resolves when every request sent so far has been answered or given up. */
  async settled(): Promise<void> {
    const order = ++this.#orders
    await Promise.all(
      this.#senders.map(({ zone, child }) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#settling.set(`${zone} ${order}`, resolve)
        this.#tell(child, { settle: order })
        return promise
      }),
    )
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#senders.map(({ child }) => {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        return ended
      }),
    )
  }

  #tell(child: ChildProcess, order: Order): void {
    child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  #hear(zone: string, { samples, settled }: Answer): void {
    if (samples) this.#samples.push(...samples)
    const key = `${zone} ${settled}`
    this.#settling.get(key)?.()
    this.#settling.delete(key)
  }
}
