// Pure: DNS messages as faults have them. Only what answers to HAProxy consist of is read.

export const codes = { SERVFAIL: 2, NXDOMAIN: 3 } as const

const headerLength = 12
const isAnswer = 0x8000
const isCut = 0x0200

/** The question alone, answered by a code. */
export function refused(query: Buffer, code: keyof typeof codes): Buffer {
  const answer = bare(query)
  answer.writeUInt16BE(isAnswer | (query.readUInt16BE(2) & 0x0100) | codes[code], 2)
  return answer
}

/** What doesn't fit over UDP: nothing of it is sent, and the answer says so. */
export function truncated(query: Buffer): Buffer {
  const answer = bare(query)
  answer.writeUInt16BE(isAnswer | (query.readUInt16BE(2) & 0x0100) | isCut, 2)
  return answer
}

/** The same records in another order. */
export function shuffled(answer: Buffer, random: () => number): Buffer {
  const count = answer.readUInt16BE(6)
  let at = questionEnd(answer)
  const start = at
  const records: Buffer[] = []
  for (let index = 0; index < count; index++) {
    const end = recordEnd(answer, at)
    records.push(answer.subarray(at, end))
    at = end
  }
  const mixed = records
    .map((record) => ({ record, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ record }) => record)
  return Buffer.concat([answer.subarray(0, start), ...mixed, answer.subarray(at)])
}

function bare(query: Buffer): Buffer {
  const answer = Buffer.from(query.subarray(0, questionEnd(query)))
  answer.writeUInt16BE(1, 4)
  for (const section of [6, 8, 10]) answer.writeUInt16BE(0, section)
  return answer
}

function questionEnd(message: Buffer): number {
  return nameEnd(message, headerLength) + 4
}

function recordEnd(message: Buffer, at: number): number {
  const fixed = nameEnd(message, at)
  return fixed + 10 + message.readUInt16BE(fixed + 8)
}

/** Of a name in full, or one that ends with a pointer. */
function nameEnd(message: Buffer, start: number): number {
  for (let at = start; ; ) {
    const length = message[at] ?? 0
    if (length === 0) return at + 1
    if (length >= 0xc0) return at + 2
    at += 1 + length
  }
}
