// A proxy on loopback in front of the API server, whose connections can be cut, swallowed and refused.
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

export interface TCPProxy {
  port: number
  /** Ends all open connections with a reset; says how many there were. */
  cut(): number
  /** Open connections stay open and pass nothing any more, as behind a firewall that forgot them; new ones are served. */
  swallow(): void
  /** While true, new connections are reset. */
  refuse(refusing: boolean): void
  close(): void
}

export async function startTCPProxy(target: { host: string; port: number }): Promise<TCPProxy> {
  const open = new Set<[Socket, Socket]>()
  let refusing = false
  const server = net.createServer((front) => {
    front.on('error', () => {})
    if (refusing) return front.resetAndDestroy()
    const back = net.connect(target)
    const pair: [Socket, Socket] = [front, back]
    open.add(pair)
    for (const [from, to] of [pair, [back, front] as const]) {
      from.on('error', () => {})
      from.on('data', (chunk) => to.write(chunk))
      from.on('close', () => {
        open.delete(pair)
        to.destroy()
      })
    }
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    const count = open.size
    for (const pair of open) for (const socket of pair) socket.resetAndDestroy()
    return count
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    swallow() {
      for (const pair of open) for (const socket of pair) socket.removeAllListeners('data').pause()
    },
    refuse(now) {
      refusing = now
    },
    close() {
      server.close()
      cut()
    },
  }
}
