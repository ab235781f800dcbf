// What HAProxy makes of the DNS's answers: how many addresses they hold, how they fail, how they change.
import '../cluster/enter.ts'
import t from 'tap'
import { until } from '../cluster/until.ts'
import { backendName, dialects, renderBackends, type Sketch, zonalHost } from './backends.ts'
import { auxiliaryText } from './configuration.ts'
import { type Answer, largestAnswer } from './dns-server.ts'
import { type HAProxy, isLocal, startHAProxy, zone } from './haproxy.ts'
import { addresses, startPods } from './pods.ts'

const many = (count: number) => Array.from({ length: count }, (_, index) => `127.88.1.${index + 1}`)
const sketch = (name: string, more: Partial<Sketch> = {}): Sketch => ({
  name,
  dialect: dialects.annotation,
  endpoints: [],
  ...more,
})

/** A Service each, that fails in its own way, all at once: most kinds take HAProxy 30 s. */
t.test(
  'the DNS fails: no request does, in the end all zones serve, and then the own one again',
  async (t) => {
    const pods = await startPods(t, 2)
    const local = addresses(pods[1])
    const all = addresses([...pods[1], ...pods[2], ...pods[3]])
    const failures: Record<string, Answer> = {
      nxdomain: 'NXDOMAIN',
      empty: [],
      servfail: 'SERVFAIL',
      refused: 'REFUSED',
      silence: 'silence',
    }
    const services = Object.keys(failures).map((name) => sketch(name, { endpoints: all }))
    const haproxy = await startHAProxy(t, { backends: renderBackends(services) })
    const { dns } = haproxy

    for (const service of services) dns.set(zonalHost(service, zone), local)
    await Promise.all(
      services.map(async (service) => {
        const backend = backendName(service)
        await haproxy.untilLocal(backend, local)
        const before = await haproxy.send(backend, 40)
        t.same(Object.keys(before.byPod).sort(), local, `${service.name}: local before`)

        const stop = haproxy.load(backend)
        dns.set(zonalHost(service, zone), failures[service.name] ?? [])
        await haproxy.untilLocal(backend, [])
        const during = await haproxy.send(backend, 60)
        t.same(Object.keys(during.byPod).sort(), all, `${service.name}: all zones serve`)
        dns.set(zonalHost(service, zone), local)
        await haproxy.untilLocal(backend, local)
        const { failures: failed } = await stop()
        t.same(failed, {}, `${service.name}: no request failed`)

        const after = await haproxy.send(backend, 40)
        t.same(Object.keys(after.byPod).sort(), local, `${service.name}: local again`)
      }),
    )
  },
)

t.test('with the installed section, large answers are whole', async (t) => {
  const services = [42, 60].map((count) => sketch(`pods-${count}`, { slots: 64 }))
  const haproxy = await startHAProxy(t, { backends: renderBackends(services) })
  for (const [index, count] of [42, 60].entries()) {
    haproxy.dns.set(zonalHost(services[index] as Sketch, zone), many(count))
  }
  // nothing listens at the addresses: what counts is that they are there
  for (const [index, count] of [42, 60].entries()) {
    const name = backendName(services[index] as Sketch)
    await until(`${count} servers have addresses`, async () => (await resolved(haproxy, name)) === count)
  }
  t.equal(await truncated(haproxy), 0, 'no answer was cut')
})

t.test('without accepted_payload_size as many addresses fit as the formula says', async (t) => {
  for (const length of [32, 88]) t.equal(largestAnswer('x'.repeat(length), 512), length === 32 ? 28 : 24)
  const namespaces = ['default', 'a-namespace-whose-name-takes-as-much-room-as-a-name-can-take']
  const services = namespaces.flatMap((namespace) =>
    ['full', 'over'].map((name) => sketch(name, { namespace, slots: 64 })),
  )
  const resolvers = 'resolvers zonefirst\n  parse-resolv-conf\n  timeout resolve 1s\n'
  const haproxy = await startHAProxy(t, { backends: renderBackends(services), resolvers })
  for (const service of services) {
    const host = zonalHost(service, zone)
    haproxy.dns.set(host, many(largestAnswer(host, 512) + (service.name === 'over' ? 1 : 0)))
  }
  for (const service of services.filter(({ name }) => name === 'full')) {
    const fits = largestAnswer(zonalHost(service, zone), 512)
    const isThere = async () => (await resolved(haproxy, backendName(service))) === fits
    await until(`${fits} servers have addresses`, isThere)
  }
  await until('answers with one more have been cut', async () => (await truncated(haproxy)) > 0)
  for (const service of services.filter(({ name }) => name === 'over')) {
    t.equal(await resolved(haproxy, backendName(service)), 0, 'nothing of a cut answer is used')
  }
})

t.test('a name with addresses of both families: the Service’s own family is taken', async (t) => {
  const services = (['ipv4', 'ipv6'] as const).map((family) => sketch(family, { family }))
  const haproxy = await startHAProxy(t, { backends: renderBackends(services) })
  for (const service of services) haproxy.dns.set(zonalHost(service, zone), ['127.88.1.1', 'fd00:88::1:1'])
  const found = services.map((service) =>
    until('a server has an address', async () => {
      const servers = (await haproxy.servers(backendName(service))).filter(isLocal)
      return servers.find(({ address }) => address.includes('88'))?.address
    }),
  )
  t.same(await Promise.all(found), ['127.88.1.1:8080', '[fd00:88::1:1]:8080'])
})

t.test('partial news: some addresses go, all are swapped', async (t) => {
  const pods = await startPods(t, 4)
  const service = sketch('web', { endpoints: addresses([...pods[2], ...pods[3]]) })
  const backend = backendName(service)
  const haproxy = await startHAProxy(t, { backends: renderBackends([service]) })
  const stop = haproxy.load(backend)
  const serving = async () => Object.keys((await haproxy.send(backend, 40)).byPod).sort()
  const local = addresses(pods[1])
  for (const now of [local, local.slice(0, 1), local]) {
    haproxy.dns.set(zonalHost(service, zone), now)
    await haproxy.untilLocal(backend, now)
    t.same(await serving(), now, `${now.length} serve, and nobody else`)
  }
  // as in a rollout. The old ones have to end: HAProxy uses idle connections of theirs up where only addresses change
  haproxy.dns.set(zonalHost(service, zone), addresses(pods[2]))
  await haproxy.untilLocal(backend, addresses(pods[2]))
  for (const pod of pods[1]) pod.finish()
  t.same(await serving(), addresses(pods[2]), 'all were swapped')
  t.same((await stop()).failures, {}, 'no request failed')
})

t.test('answers that are cut without saying so: servers come and go, which HAProxy counts', async (t) => {
  const web = sketch('web', { slots: 64 })
  const all = many(42)
  const some = () => all.toSorted(() => Math.random() - 0.5).slice(0, 28)
  await t.test('whole answers', async (t) => {
    const haproxy = await startHAProxy(t, { backends: renderBackends([web]) })
    const host = zonalHost(web, zone)
    haproxy.dns.set(host, all)
    const isThere = async () => (await resolved(haproxy, backendName(web))) === 42
    await until('42 servers have addresses', isThere)
    const before = await counter(haproxy, 'update')
    await haproxy.untilAsked(host, haproxy.dns.asked(host) + 4)
    t.equal(await counter(haproxy, 'update'), before, 'nothing changes any more')
  })
  await t.test('cut ones', async (t) => {
    const haproxy = await startHAProxy(t, { backends: renderBackends([web]) })
    haproxy.dns.set(zonalHost(web, zone), some)
    await until('changes are counted', async () => (await counter(haproxy, 'update')) >= 5)
    t.equal(await truncated(haproxy), 0, 'the other counter says nothing of it')
  })
})

t.test(
  'questions: one a name and interval, however many slots, and of the Service’s family alone',
  async (t) => {
    const services = ['one', 'two', 'three'].map((name) => sketch(name, { slots: 64 }))
    const haproxy = await startHAProxy(t, { backends: renderBackends(services) })
    const hosts = services.map((service) => zonalHost(service, zone))
    for (const host of hosts) haproxy.dns.set(host, many(20))
    for (const service of services) {
      await until(
        'servers have addresses',
        async () => (await resolved(haproxy, backendName(service))) === 20,
      )
    }
    const interval = Number(/timeout resolve (\d+)s/.exec(auxiliaryText)?.[1])
    const counts = () => hosts.map((host) => [haproxy.dns.asked(host, 'A'), haproxy.dns.asked(host, 'AAAA')])
    const [before, startedAt] = [counts(), performance.now()]
    await Promise.all(hosts.map((host) => haproxy.untilAsked(host, haproxy.dns.asked(host) + 4)))
    const [after, intervals] = [counts(), (performance.now() - startedAt) / 1_000 / interval]
    for (const [index, [a = 0, aaaa = 0]] of after.entries()) {
      const [aBefore = 0, aaaaBefore = 0] = before[index] ?? []
      t.ok(a - aBefore <= intervals + 1, `${a - aBefore} questions in ${intervals.toFixed(1)} intervals`)
      t.equal(aaaa, aaaaBefore, 'the other family is not asked for')
    }
  },
)

/** How many of the template's servers have an address, whether anything answers there or not. */
async function resolved(haproxy: HAProxy, backend: string): Promise<number> {
  const servers = (await haproxy.servers(backend)).filter(isLocal)
  return servers.filter(({ address }) => address.startsWith('127.88.')).length
}

const truncated = (haproxy: HAProxy) => counter(haproxy, 'truncated')

async function counter(haproxy: HAProxy, name: 'truncated' | 'update'): Promise<number> {
  const counters = await haproxy.run('show resolvers zonefirst')
  return Number(new RegExp(`${name}:\\s*(\\d+)`).exec(counters)?.[1])
}
