// Stands between one HAProxy and CoreDNS, and loses questions, answers late or denies
// that names exist, as it is told to.
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { refused } from '../chaos/dns-messages.ts'
import { type Condition, delayOf, whole } from './loss.ts'

export interface Relay {
  /** To ask at, such as `127.0.0.1:6000`. */
  readonly address: string
  set(condition: Condition): void
  /** Nobody listens any more, which whoever asks is told of. */
  close(): void
  open(): Promise<void>
}

export interface RelayOptions {
  /** 0 for one that is free */
  port: number
  behind: { address: string; port: number }
  /** decides which questions are lost */
  random: () => number
}

const address = '127.0.0.1'

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { behind, random } = options
  let { port } = options
  let condition = whole
  let sockets: Socket[] = []
  const open = async () => {
    const [front, back] = [createSocket('udp4'), createSocket('udp4')]
    /** by the question's number; HAProxy asks again with the same one */
    const askers = new Map<number, { port: number; delayMs: number }>()
    let isOpen = true
    for (const socket of [front, back]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        isOpen = false
      })
    }
    front.on('message', (question, asker) => {
      const delayMs = delayOf(condition, random)
      if (delayMs === undefined || question.length < 2) return
      if (condition.isDenying) {
        front.send(refused(question, 'NXDOMAIN'), asker.port, asker.address)
        return
      }
      askers.set(question.readUInt16BE(), { port: asker.port, delayMs })
      back.send(question, behind.port, behind.address)
    })
    back.on('message', (answer) => {
      const asker = askers.get(answer.readUInt16BE())
      if (asker === undefined) return
      const send = () => isOpen && front.send(answer, asker.port, address)
      if (asker.delayMs === 0) send()
      else setTimeout(send, asker.delayMs).unref()
    })
    front.bind(port, address)
    await once(front, 'listening')
    port = front.address().port
    sockets = [front, back]
  }
  await open()
  return {
    address: `${address}:${port}`,
    set(now) {
      condition = now
    },
    close() {
      for (const socket of sockets) socket.close()
      sockets = []
    },
    open,
  }
}
