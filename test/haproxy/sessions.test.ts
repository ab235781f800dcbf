// Sessions: cookies, and connections that outlive a change of what is local.
import '../cluster/enter.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { backendName, dialects, renderBackends, type Sketch, zonalHost } from './backends.ts'
import { startHAProxy, zone } from './haproxy.ts'
import { addresses, startPods } from './pods.ts'

const listen = { host: '127.0.0.1', port: 8000 }

interface Answer {
  pod: string
  cookie: string | undefined
}

/** On a connection of its own. */
async function ask(backend: string, cookie?: string): Promise<Answer> {
  const headers = { 'x-backend': backend, connection: 'close', ...(cookie && { cookie }) }
  const answer = await fetch(`http://${listen.host}:${listen.port}/`, { headers })
  return { pod: await answer.text(), cookie: answer.headers.get('set-cookie')?.split(';')[0] }
}

t.test('a dynamic cookie keeps clients at their pod, a static one would not', async (t) => {
  const pods = await startPods(t, 2)
  const [local, all] = [addresses(pods[1]), addresses([...pods[1], ...pods[2], ...pods[3]])]
  const sketch = (name: string, annotations: Record<string, string>): Sketch => ({
    name,
    dialect: dialects.annotation,
    endpoints: all,
    annotations,
  })
  const dynamic = sketch('dynamic', { 'haproxy.org/cookie-persistence': 'mycookie' })
  // the line that the controller writes for cookie-persistence-no-dynamic
  const line = 'cookie mycookie indirect nocache insert'
  const fixed = sketch('fixed', { 'haproxy.org/backend-config-snippet': line })
  const haproxy = await startHAProxy(t, { backends: renderBackends([dynamic, fixed]) })
  for (const service of [dynamic, fixed]) {
    haproxy.dns.set(zonalHost(service, zone), local)
    await haproxy.untilLocal(backendName(service), local)
  }
  const first = await ask(backendName(dynamic))
  t.ok(local.includes(first.pod))
  t.match(first.cookie, /^mycookie=./)
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(backendName(dynamic), first.cookie)))
  t.strictSame([...new Set(answers.map(({ pod }) => pod))], [first.pod], '20 of 20')

  haproxy.dns.set(zonalHost(dynamic, zone), [])
  await haproxy.untilLocal(backendName(dynamic), [])
  t.equal((await ask(backendName(dynamic), first.cookie)).pod, first.pod, 'as the controller’s server, too')

  // why a static one is refused: the zone's own servers have no name for it
  t.notMatch((await ask(backendName(fixed))).cookie ?? '', /^mycookie=./)
})

/** A connection that was upgraded is no more HAProxy's to move. */
async function upgrade(t: Test, backend: string) {
  const socket = connect(listen)
  t.teardown(() => socket.destroy())
  socket.write(
    `GET /upgrade HTTP/1.1\r\nhost: web\r\nx-backend: ${backend}\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n`,
  )
  const [head] = await once(socket, 'data')
  return {
    head: String(head),
    async echo(text: string): Promise<string> {
      socket.write(text)
      const [answer] = await once(socket, 'data')
      return String(answer)
    },
  }
}

t.test('a long-lived session stays where it is when local pods come; new ones are local', async (t) => {
  const pods = await startPods(t, 1)
  const service: Sketch = {
    name: 'web',
    dialect: dialects.annotation,
    endpoints: addresses([...pods[2], ...pods[3]]),
  }
  const haproxy = await startHAProxy(t, { backends: renderBackends([service]) })
  const session = await upgrade(t, backendName(service))
  t.match(session.head, /^HTTP\/1.1 101 /)
  const pod = await session.echo('who are you?')
  t.ok(
    service.endpoints.some((address) => pod.startsWith(address)),
    'no pod of its own zone was there',
  )

  const local = addresses(pods[1])
  haproxy.dns.set(zonalHost(service, zone), local)
  await haproxy.untilLocal(backendName(service), local)
  t.equal(await session.echo('who are you?'), pod, 'nothing was cut')
  const { byPod } = await haproxy.send(backendName(service), 20)
  t.strictSame(Object.keys(byPod), local)
})
