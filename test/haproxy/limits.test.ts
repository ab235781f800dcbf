// What limits and moments of the controller's own do beside ours: a pod's limit of connections, and a slot that is emptied in
// two steps.
import '../cluster/enter.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { backendName, dialects, renderBackends, type Sketch, zonalHost } from './backends.ts'
import { startHAProxy, zone } from './haproxy.ts'
import { addresses, startPods } from './pods.ts'

const listen = { host: '127.0.0.1', port: 8000 }
const backend = backendName({ name: 'web' })
const sketch = (more: Partial<Sketch>): Sketch => ({
  name: 'web',
  dialect: dialects.annotation,
  endpoints: [],
  ...more,
})

t.test(
  'a limit holds for the zone’s own pods: what is beyond it waits, and fails, while others are idle',
  async (t) => {
    const pods = await startPods(t, 1)
    const [local, all] = [addresses(pods[1]), addresses([...pods[1], ...pods[2], ...pods[3]])]
    const annotations = { 'haproxy.org/pod-maxconn': '2' }
    const haproxy = await startHAProxy(t, {
      backends: renderBackends([sketch({ endpoints: all, annotations })]),
    })
    haproxy.dns.set(zonalHost(sketch({}), zone), local)
    await haproxy.untilLocal(backend, local)
    const upgrade = `GET / HTTP/1.1\r\nhost: web\r\nx-backend: ${backend}\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n`
    const sessions = [0, 1].map(() => connect(listen))
    t.teardown(() => sessions.forEach((socket) => void socket.destroy()))
    for (const socket of sessions) {
      socket.write(upgrade)
      await once(socket, 'data')
    }
    const { failures } = await haproxy.send(backend, 1)
    t.same(failures, { 'status 503': 1 }, 'after its time in the queue, which is why MaxconnDivided is told')
  },
)

t.test('a slot that points nowhere for a moment, though it is ready: no request fails', async (t) => {
  const pods = await startPods(t, 2)
  const remote = addresses([...pods[2], ...pods[3]])
  for (const dialect of [dialects.annotation, undefined]) {
    await t.test(dialect ? 'with zonefirst' : 'without', async (t) => {
      const backends = renderBackends([sketch({ dialect, endpoints: remote })])
      const haproxy = await startHAProxy(t, { backends })
      // the first of the two steps by which the controller empties it
      await haproxy.run(`set server ${backend}/SRV_1 addr 127.0.0.1 port 1`)
      const { byPod, failures } = await haproxy.send(backend, 40)
      if (dialect === undefined)
        t.notSame(failures, {}, 'the controller’s own configuration has no redispatch')
      else {
        t.same(failures, {})
        t.same(Object.keys(byPod).sort(), remote.slice(1))
      }
    })
  }
})
