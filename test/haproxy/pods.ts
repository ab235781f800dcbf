// Pods as HAProxy sees them: addresses that answer HTTP with their own address, on an upgraded connection to each message. Addresses are loopback ones, which a
// program in a network of its own has all to itself.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Test } from 'tap'

const port = 8080

export interface Pod {
  readonly address: string
  /** Its process is gone: connections are cut, new ones refused. */
  kill(): void
  /** It refuses new connections and answers what has come. */
  finish(): void
  start(): Promise<void>
}

export function createPod(t: Test, address: string): Pod {
  let server: Server | undefined
  const pod: Pod = {
    address,
    kill() {
      server?.close()
      server?.closeAllConnections()
      server = undefined
    },
    finish() {
      server?.close()
      server?.closeIdleConnections()
    },
    async start() {
      server = createServer((_request, response) => {
        response.shouldKeepAlive = server?.listening ?? false
        response.end(address)
      })
      server.on('upgrade', (_request, socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n')
        socket.on('data', (message) => socket.write(`${address}: ${message}`))
        socket.on('error', () => socket.destroy())
      })
      server.listen(port, address)
      await once(server, 'listening')
    },
  }
  t.teardown(() => pod.kill())
  return pod
}

/** Pods that answer: `count` in each of the zones 1, 2 and 3, at 127.88.<zone>.<n>. */
export async function startPods(t: Test, count: number): Promise<Record<1 | 2 | 3, Pod[]>> {
  const zone = (number: number) =>
    Array.from({ length: count }, (_, index) => createPod(t, `127.88.${number}.${index + 1}`))
  const pods = { 1: zone(1), 2: zone(2), 3: zone(3) }
  await Promise.all(Object.values(pods).flatMap((each) => each.map((pod) => pod.start())))
  return pods
}

export const addresses = (pods: readonly Pod[]): string[] => pods.map(({ address }) => address)
