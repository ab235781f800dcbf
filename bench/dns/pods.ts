// What answers at the addresses of pods that exist by name only: each answers with its address.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { batch } from '../../test/cluster/ip.ts'

const port = 8080

export interface AnsweringPod {
  start(): Promise<void>
  /** It refuses new connections and answers what has come. */
  finish(): void
}

/** The address is the program's own network's from now on, which it has to have for itself. */
export async function addAnsweringPod(address: string): Promise<AnsweringPod> {
  await batch(undefined, [`address add ${address}/32 dev lo`])
  let server: Server | undefined
  return {
    async start() {
      const started = createServer((_request, response) => {
        response.shouldKeepAlive = started.listening
        response.end(address)
      })
      server = started
      started.listen(port, address)
      await once(started, 'listening')
    },
    finish() {
      server?.close()
      server?.closeIdleConnections()
      server = undefined
    },
  }
}
