// A DNS server that answers as a test tells it to, and counts what it is asked. Over UDP.
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

/** Addresses, or how the question fails. An answer that is larger than the asker takes is cut and says so. */
export type Answer = Addresses | (() => Addresses) | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | 'silence'
type Addresses = readonly string[]

export interface DNSServer {
  /** Names are whole, without the last dot; those that were never set don't exist. */
  set(name: string, answer: Answer): void
  /** How often the name was asked for, of whatever type unless one is named. */
  asked(name: string, type?: 'A' | 'AAAA'): number
  /** Sends what somebody else would, who sees the questions, before each answer. */
  forge(replies: (answer: Buffer) => readonly Buffer[]): void
  close(): void
}

const codes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }
const typeA = 1
const typeAAAA = 28
const typeOPT = 41
const headerLength = 12

export async function startDNSServer(address: string, port = 53): Promise<DNSServer> {
  const answers = new Map<string, Answer>()
  const counts = new Map<string, number>()
  const socket = createSocket('udp4')
  let forged: (answer: Buffer) => readonly Buffer[] = () => []
  socket.on('message', (query: Buffer, asker: RemoteInfo) => {
    const { name, end } = readName(query)
    const counted = `${name} ${query.readUInt16BE(end)}`
    counts.set(counted, (counts.get(counted) ?? 0) + 1)
    const answer = answers.get(name) ?? 'NXDOMAIN'
    const reply = replyTo(query, end, typeof answer === 'function' ? answer() : answer)
    if (!reply) return
    for (const each of [...forged(reply), reply]) socket.send(each, asker.port, asker.address)
  })
  socket.bind(port, address)
  await once(socket, 'listening')
  return {
    set: (name, answer) => void answers.set(name.toLowerCase(), answer),
    asked(name, type) {
      const types = type === undefined ? [typeA, typeAAAA] : [type === 'A' ? typeA : typeAAAA]
      return types.reduce((sum, each) => sum + (counts.get(`${name.toLowerCase()} ${each}`) ?? 0), 0)
    },
    forge(replies) {
      forged = replies
    },
    close: () => socket.close(),
  }
}

/** The answer's size: header, question, addresses with a pointer as their name, and the asker's extension again. */
export function largestAnswer(name: string, payloadSize: number): number {
  const question = name.length + 2 + 4
  return Math.floor((payloadSize - headerLength - question - opt(0).length) / record('0.0.0.0').length)
}

function replyTo(
  query: Buffer,
  nameEnd: number,
  answer: Exclude<Answer, () => Addresses>,
): Buffer | undefined {
  if (answer === 'silence') return undefined
  const questionEnd = nameEnd + 4
  const payloadSize = readPayloadSize(query, questionEnd)
  const type = query.readUInt16BE(nameEnd)
  const isAsked = (address: string) => type === (isIPv6(address) ? typeAAAA : typeA)
  const records = Array.isArray(answer) ? answer.filter(isAsked).map(record) : []
  const extension = payloadSize === undefined ? [] : [opt(payloadSize)]
  const room = (payloadSize ?? 512) - questionEnd - Buffer.concat(extension).length
  const fitting = records.slice(0, Math.floor(room / (records[0]?.length ?? 1)))
  const header = Buffer.alloc(headerLength)
  query.copy(header, 0, 0, 2)
  const isCut = fitting.length < records.length
  const code = typeof answer === 'string' ? codes[answer as keyof typeof codes] : 0
  header.writeUInt16BE(0x8580 | (isCut ? 0x0200 : 0) | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(fitting.length, 6)
  header.writeUInt16BE(extension.length, 10)
  return Buffer.concat([header, query.subarray(headerLength, questionEnd), ...fitting, ...extension])
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = headerLength
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** What the asker takes at most, where it says so: in the one additional record that questions have. */
function readPayloadSize(query: Buffer, questionEnd: number): number | undefined {
  const hasExtension = query.length >= questionEnd + 5 && query.readUInt16BE(questionEnd + 1) === typeOPT
  return hasExtension ? query.readUInt16BE(questionEnd + 3) : undefined
}

/** Its name is a pointer to the question's. */
function record(address: string): Buffer {
  const data = isIPv6(address) ? ipv6Bytes(address) : address.split('.').map(Number)
  const type = isIPv6(address) ? typeAAAA : typeA
  return Buffer.from([0xc0, headerLength, 0, type, 0, 1, 0, 0, 0, 1, 0, data.length, ...data])
}

function ipv6Bytes(address: string): number[] {
  const [head = [], tail = []] = address
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))))
  const groups = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
  return groups.flatMap((group) => [group >> 8, group & 0xff])
}

function opt(payloadSize: number): Buffer {
  const extension = Buffer.alloc(11)
  extension.writeUInt16BE(typeOPT, 1)
  extension.writeUInt16BE(payloadSize, 3)
  return extension
}
