// What HAProxy makes of answers that others send, faster than the DNS server: they have its address, as a forger's would, but not the
// question's number, or not its name. What a forger could do who knows both, docs/security.md says.
import '../cluster/enter.ts'
import t from 'tap'
import { backendName, dialects, renderBackends, type Sketch, zonalHost } from './backends.ts'
import { startHAProxy, zone } from './haproxy.ts'
import { addresses, startPods } from './pods.ts'

const service: Sketch = { name: 'web', dialect: dialects.annotation, endpoints: [] }
const headerLength = 12

/** The same answer with another address in it. */
function withAddress(answer: Buffer, [from, to]: readonly [string, string]): Buffer {
  const bytes = (address: string) => Buffer.from(address.split('.').map(Number))
  const copy = Buffer.from(answer)
  const at = copy.indexOf(bytes(from), headerLength)
  if (at > 0) bytes(to).copy(copy, at)
  return copy
}

t.test('answers to other numbers or names are not taken', async (t) => {
  const pods = await startPods(t, 1)
  const [own = ''] = addresses(pods[1])
  const [foreign = ''] = addresses(pods[2])
  const haproxy = await startHAProxy(t, { backends: renderBackends([{ ...service, endpoints: [own] }]) })
  const [host, backend] = [zonalHost(service, zone), backendName(service)]
  let sent = 0
  haproxy.dns.forge((answer) => {
    const evil = withAddress(answer, [own, foreign])
    const number = evil.readUInt16BE(0)
    // a hundred guesses at the number, and the right one for another name
    const guesses = Array.from({ length: 100 }, (_, index) => {
      const guess = Buffer.from(evil)
      guess.writeUInt16BE((number + 1 + index * 655) % 65_536, 0)
      return guess
    })
    const otherName = Buffer.from(evil)
    otherName.write('x', headerLength + 1)
    sent += guesses.length + 1
    return [...guesses, otherName]
  })
  haproxy.dns.set(host, [own])
  await haproxy.untilLocal(backend, [own])
  const stop = haproxy.load(backend)
  await haproxy.untilAsked(host, haproxy.dns.asked(host) + 5)
  const { byPod, failures } = await stop()
  t.strictSame(failures, {})
  t.strictSame(Object.keys(byPod), [own], 'every request goes where the DNS server says')
  t.ok(sent > 500, `${sent} forged answers`)
})
