import t from 'tap'
import { refused, shuffled, truncated } from '../../../bench/chaos/dns-messages.ts'

const name = Buffer.from('\x03web\x04test\x00', 'latin1')
const question = Buffer.concat([name, Buffer.from([0, 1, 0, 1])])
const header = (flags: number, answers: number, more: number) =>
  Buffer.from([0x12, 0x34, flags >> 8, flags & 0xff, 0, 1, 0, answers, 0, 0, 0, more])
const extension = Buffer.from([0, 0, 41, 0x20, 0, 0, 0, 0, 0, 0, 0])
const record = (last: number, owner: Buffer) =>
  Buffer.concat([owner, Buffer.from([0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 10, 88, 1, last])])
const query = Buffer.concat([header(0x0100, 0, 1), question, extension])

t.test('a code instead of an answer', async (t) => {
  const answer = refused(query, 'NXDOMAIN')
  t.equal(answer.readUInt16BE(0), 0x1234, 'the asker knows it by its number')
  t.equal(answer.readUInt16BE(2), 0x8103)
  t.strictSame(answer.subarray(12), question)
  t.strictSame([...answer.subarray(4, 12)], [0, 1, 0, 0, 0, 0, 0, 0])
  t.equal(refused(query, 'SERVFAIL').readUInt16BE(2), 0x8102)
})

t.test('cut off', async (t) => {
  t.equal(truncated(query).readUInt16BE(2), 0x8300)
  t.strictSame(truncated(query).subarray(12), question)
})

t.test('the same records in another order, whatever form their names have', async (t) => {
  const records = [record(1, Buffer.from([0xc0, 12])), record(2, name), record(3, Buffer.from([0xc0, 12]))]
  const answer = Buffer.concat([header(0x8180, 3, 1), question, ...records, extension])
  const order = [0.9, 0.1, 0.5]
  const mixed = shuffled(answer, () => order.shift() ?? 0)
  const [first, second, third] = records as [Buffer, Buffer, Buffer]
  t.strictSame(mixed, Buffer.concat([header(0x8180, 3, 1), question, second, third, first, extension]))
})
