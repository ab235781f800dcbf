// Stands before CoreDNS while a fault of DNS lasts, at the address that everybody asks, and changes what it answers.
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from '../../test/cluster/cluster.ts'
import { dnsAddress } from '../../test/cluster/network.ts'

const port = 53
const portBehind = 5300

export interface Front {
  /** CoreDNS is at its place again. */
  close(): Promise<void>
}

/** What is answered to a query; `ask` asks CoreDNS. */
export type Behaviour = (query: Buffer, ask: (query: Buffer) => Promise<Buffer>) => Promise<Buffer>

export async function startFront(cluster: Cluster, behave: Behaviour): Promise<Front> {
  await moveCoreDNS(cluster, port, portBehind)
  const socket = createSocket('udp4')
  const asking = new Set<Socket>()
  const ask = async (query: Buffer): Promise<Buffer> => {
    const behind = createSocket('udp4')
    asking.add(behind)
    try {
      behind.send(query, portBehind, dnsAddress)
      const [answer] = await once(behind, 'message', { signal: AbortSignal.timeout(5_000) })
      return answer
    } finally {
      asking.delete(behind)
      behind.close()
    }
  }
  let isOpen = true
  socket.on('message', (query: Buffer, asker) => {
    behave(query, ask).then(
      (answer) => isOpen && socket.send(answer, asker.port, asker.address),
      // an answer that never comes is one of the faults that DNS has
      () => {},
    )
  })
  socket.bind(port, dnsAddress)
  await once(socket, 'listening')
  return {
    async close() {
      isOpen = false
      socket.close()
      await moveCoreDNS(cluster, portBehind, port)
    },
  }
}

async function moveCoreDNS(cluster: Cluster, from: number, to: number): Promise<void> {
  const file = join(cluster.folder, 'Corefile')
  const { coredns } = cluster.controlPlane.components
  await coredns.stop()
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`:${from} `, `:${to} `))
  coredns.start()
  // it answers as soon as it has read all of the API
  await pause(100)
  await cluster.controlPlane.ready()
}
