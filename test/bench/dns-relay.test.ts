// On loopback, with an echo in the DNS server's place.
import { createSocket } from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import t, { type Test } from 'tap'
import { denying, silent, whole } from '../../bench/dns/loss.ts'
import { type Relay, startRelay } from '../../bench/dns/relay.ts'

const message = (id: number, content: string) => Buffer.concat([Buffer.from([0, id]), Buffer.from(content)])

async function start(t: Test) {
  const server = createSocket('udp4')
  const asked: number[] = []
  server.on('message', (question, { port, address }) => {
    asked.push(question.readUInt16BE())
    server.send(Buffer.concat([question, Buffer.from(' answered')]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  /** tells when the relay has decided on a question */
  const relayed = new EventEmitter()
  const random = () => {
    relayed.emit('decision')
    return 0.5
  }
  const behind = { address: '127.0.0.1', port: server.address().port }
  const relay = await startRelay({ port: 0, behind, random })
  t.teardown(() => {
    relay.close()
    server.close()
  })
  return { relay, relayed, asked }
}

const portOf = ({ address }: Relay) => Number(address.split(':')[1])

function asker(t: Test, relay: Relay) {
  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  return {
    socket,
    send: (question: Buffer) => socket.send(question, portOf(relay), '127.0.0.1'),
    async answer() {
      const [answer] = await once(socket, 'message')
      return String(answer.subarray(2))
    },
  }
}

t.test('answers reach the one who asked', async (t) => {
  const { relay } = await start(t)
  const [one, other] = [asker(t, relay), asker(t, relay)]
  one.send(message(1, 'one'))
  other.send(message(2, 'other'))
  t.same(await Promise.all([one.answer(), other.answer()]), ['one answered', 'other answered'])
})

t.test('what is lost is not asked behind it; the next is answered', async (t) => {
  const { relay, relayed, asked } = await start(t)
  const { send, answer } = asker(t, relay)
  relay.set(silent)
  send(message(1, 'lost'))
  await once(relayed, 'decision')
  relay.set(whole)
  send(message(2, 'next'))
  t.equal(await answer(), 'next answered')
  t.same(asked, [2])
})

t.test('answers are late that were to be when they were asked for', async (t) => {
  const { relay, relayed } = await start(t)
  const { send, answer } = asker(t, relay)
  relay.set({ ...whole, delayMs: 200 })
  send(message(1, 'late'))
  await once(relayed, 'decision')
  relay.set(whole)
  send(message(2, 'quick'))
  t.equal(await answer(), 'quick answered')
  t.equal(await answer(), 'late answered')
})

t.test('while names are denied nothing is asked behind it', async (t) => {
  const { relay, asked } = await start(t)
  const { socket } = asker(t, relay)
  relay.set(denying)
  // a question for the root's address
  const question = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1])
  socket.send(question, portOf(relay), '127.0.0.1')
  const [reply] = await once(socket, 'message')
  t.equal(reply.readUInt16BE(0), 7)
  t.equal(reply.readUInt16BE(2) & 0x800f, 0x8003, 'an answer, NXDOMAIN')
  t.same(asked, [])
})

t.test('closed, and at the same address again', async (t) => {
  const { relay } = await start(t)
  const { address } = relay
  relay.close()
  await relay.open()
  t.equal(relay.address, address)
  const { send, answer } = asker(t, relay)
  send(message(1, 'back'))
  t.equal(await answer(), 'back answered')
})
