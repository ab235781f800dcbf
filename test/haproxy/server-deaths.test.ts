// What becomes of requests when pods die, refuse connections, are too many for the slots, or are none at all.
import '../cluster/enter.ts'
import t from 'tap'
import { backendName, dialects, renderBackends, type Sketch, zonalHost } from './backends.ts'
import { isLocal, startHAProxy, zone } from './haproxy.ts'
import { addresses, createPod, startPods } from './pods.ts'

const sketch = (more: Partial<Sketch> = {}): Sketch => ({
  name: 'web',
  dialect: dialects.annotation,
  endpoints: [],
  ...more,
})
const backend = backendName({ name: 'web' })
const host = zonalHost(sketch(), zone)

t.test('an address that refuses connections, known to nobody but the DNS: no request fails', async (t) => {
  const pods = await startPods(t, 1)
  const dead = createPod(t, '127.88.1.9')
  const all = addresses([...pods[1], ...pods[2], ...pods[3], dead])
  const haproxy = await startHAProxy(t, { backends: renderBackends([sketch({ endpoints: all })]) })
  const stop = haproxy.load(backend)
  haproxy.dns.set(host, addresses([...pods[1], dead]))
  await haproxy.untilLocal(backend, addresses(pods[1]))
  const { byPod, failures } = await haproxy.send(backend, 100)
  t.same(failures, {})
  t.same(Object.keys(byPod), addresses(pods[1]))
  t.same((await stop()).failures, {}, 'nor before it was marked down')
})

t.test(
  'all local pods die at once: they are marked down, no request fails, and they come back',
  async (t) => {
    const pods = await startPods(t, 2)
    const local = addresses(pods[1])
    const remote = addresses([...pods[2], ...pods[3]])
    const endpoints = [...local, ...remote]
    const haproxy = await startHAProxy(t, { backends: renderBackends([sketch({ endpoints })]) })
    haproxy.dns.set(host, local)
    await haproxy.untilLocal(backend, local)
    t.same(Object.keys((await haproxy.send(backend, 40)).byPod).sort(), local)

    // those that cut answers off are lost with their pod: the load starts when nothing is under way
    for (const pod of pods[1]) pod.kill()
    const { byPod, failures } = await haproxy.send(backend, 100)
    t.same(failures, {})
    t.same(Object.keys(byPod).sort(), remote, 'the other zones serve, all of them')
    const statuses = (await haproxy.servers(backend)).filter(isLocal).filter(({ address }) => address !== '')
    t.same(
      statuses.filter(({ status }) => status.startsWith('UP')),
      [],
      'both are marked down',
    )

    const stop = haproxy.load(backend)
    await Promise.all(pods[1].map((pod) => pod.start()))
    await haproxy.untilLocal(backend, local)
    t.same(Object.keys((await haproxy.send(backend, 40)).byPod).sort(), local, 'local again')
    t.same((await stop()).failures, {}, 'no request failed on the way back')
  },
)

t.test('more pods than slots: the rest serve as backup only', async (t) => {
  const pods = await startPods(t, 9)
  const local = addresses(pods[1])
  const haproxy = await startHAProxy(t, {
    backends: renderBackends([sketch({ endpoints: [...local, ...addresses(pods[2])], slots: 8 })]),
  })
  const servers = async () => (await haproxy.servers(backend)).filter(isLocal)
  haproxy.dns.set(host, local.slice(0, 8))
  await haproxy.untilLocal(backend, local.slice(0, 8))
  const asked = haproxy.dns.asked(host)
  haproxy.dns.set(host, local)
  await t.resolves(haproxy.untilAsked(host, asked + 3), 'the new answer has been read')
  t.same(
    (await servers()).map(({ address }) => address.replace(/:\d+$/, '')).sort(),
    local.slice(0, 8),
    'those that have a slot keep it',
  )
  const { byPod, failures } = await haproxy.send(backend, 200)
  t.same(failures, {})
  t.same(Object.keys(byPod).sort(), local.slice(0, 8), 'eight serve; the ninth does not, though it is up')
  const ninth = (await haproxy.servers(backend)).find(({ address }) => address === `${local[8]}:8080`)
  t.match(ninth, { server: /^SRV_/, isBackup: true, isActive: false })
})

t.test('a zone without pods spreads over all pods of all zones', async (t) => {
  const pods = await startPods(t, 3)
  const all = addresses([...pods[2], ...pods[3]])
  const haproxy = await startHAProxy(t, { backends: renderBackends([sketch({ endpoints: all })]) })
  haproxy.dns.set(host, [])
  await haproxy.untilAsked(host, 1)
  const { byPod, failures } = await haproxy.send(backend, 120)
  t.same(failures, {})
  t.same(Object.keys(byPod).sort(), all)
  t.same(new Set(Object.values(byPod)), new Set([20]), 'evenly')
})

t.test('what alerts see of a zone without pods: no active server, no fault', async (t) => {
  const pods = await startPods(t, 1)
  const all = addresses([...pods[2], ...pods[3]])
  const haproxy = await startHAProxy(t, { backends: renderBackends([sketch({ endpoints: all })]) })
  await haproxy.untilAsked(host, 2)
  const servers = await haproxy.servers(backend)
  t.same(new Set(servers.filter(isLocal).map(({ status }) => status)), new Set(['MAINT (resolution)']))
  const totals = await haproxy.totals(backend)
  t.match(totals, { status: 'UP', act: '0', bck: '2' }, 'the backend is up on its backups')
})

t.test('through 50 changes of the answer no server without an address is up', async (t) => {
  const pods = await startPods(t, 3)
  const local = addresses(pods[1])
  const remote = addresses([...pods[2], ...pods[3]])
  // asked more often than as installed, so that 50 changes take less time
  const resolvers = ['resolvers zonefirst', 'parse-resolv-conf', 'accepted_payload_size 8192']
  const quick = ['timeout resolve 100ms', 'timeout retry 100ms', 'hold valid 100ms', 'hold obsolete 0s']
  const haproxy = await startHAProxy(t, {
    backends: renderBackends([sketch({ endpoints: remote })]),
    resolvers: `${[...resolvers, ...quick].join('\n  ')}\n`,
  })
  const stop = haproxy.load(backend)
  haproxy.dns.set(host, local)
  await haproxy.untilLocal(backend, local)
  const wrong: string[] = []
  for (let change = 0; change < 50; change++) {
    haproxy.dns.set(host, change % 2 === 0 ? local.slice(0, 2) : local)
    await haproxy.untilAsked(host, haproxy.dns.asked(host) + 1)
    for (const { server, status, address } of (await haproxy.servers(backend)).filter(isLocal)) {
      if (status.startsWith('UP') && !address.startsWith('127.88.'))
        wrong.push(`${change}: ${server} ${address}`)
    }
  }
  t.same(wrong, [])
  t.same((await stop()).failures, {}, 'no request failed')
})
