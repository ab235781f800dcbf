// Whether what is annotated has its effect in the real parts, and that nothing has any where a Service is refused.
import '../cluster/enter.ts'
import t, { type Test } from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { ingress, namespace, type ServiceName } from '../scenario/application.ts'
import { readServers } from '../scenario/haproxy-stats.ts'
import { statsPort } from '../scenario/proxies.ts'
import { untilServed } from '../scenario/routing.ts'
import { eventReasons, leaderMetrics } from '../scenario/told.ts'
import { readyProxies } from '../scenario/traffic.ts'
import { runProxies, send, startSystem, untilRouted } from './system.ts'

let cluster: Cluster
t.before(async () => {
  // two looks in a row have to outlast the controllers' own reload on a busy machine
  cluster = await startSystem(t, { install: { annotatorEnv: { ZONEFIRST_EFFECT_INTERVAL: '10s' } } })
  await untilRouted(cluster)
})

const servers = async () => {
  const web = JSON.parse(await cluster.kubectl('get', 'service', 'web', '-o', 'json'))
  return web.metadata.annotations?.['backend.zonefirst.io/servers'] as string | undefined
}

t.test('an Ingress that is replaced by another one on the same Service loses nothing', async (t) => {
  const before = await servers()
  t.type(before, 'string')
  const successor = ingress('web')
  successor.metadata.name = 'successor'
  await cluster.apply(successor)
  await cluster.kubectl('delete', 'ingress/web')
  await untilRouted(cluster)
  const traffic = await send(cluster)
  t.equal(traffic.failed, 0)
  t.equal(traffic.crossedRequests, 0)
  t.equal(await servers(), before, 'the annotation is the same, byte for byte')
  t.equal(await withoutEffect(), 0)

  await cluster.apply(ingress('web'))
  await cluster.kubectl('delete', 'ingress/successor')
  await untilRouted(cluster)
  t.equal(await servers(), before)
  const reasons = await eventReasons(cluster)
  t.notOk(reasons.includes('ZoneFirstOff') || reasons.includes('WithoutEffect'), reasons.join())
})

t.test('an annotation that the controllers do not take is told, and its end as well', async (t) => {
  const before = await servers()
  await runProxies(cluster, { flags: ['--custom-validation-rules=haproxy-controller/none'] })
  t.teardown(() => runProxies(cluster))
  await untilServed(cluster, 'web', { proxies: 3, pods: 6, local: 0 })
  await cluster.until('it is told', async () => (await eventReasons(cluster)).includes('WithoutEffect'))
  await cluster.until('it is counted', async () => (await withoutEffect()) === 1)
  t.equal(await servers(), before, 'the annotation stays: it does no harm')
  const traffic = await send(cluster)
  t.equal(traffic.failed, 0)

  await runProxies(cluster)
  await untilRouted(cluster)
  await cluster.until('it is counted no more', async () => (await withoutEffect()) === 0)
})

interface Refusal {
  reason: string
  /** told only where somebody asked for it */
  isSilent?: true
  /** changes either Service; an empty `value` takes it back */
  change: (of: ServiceName, isThere: boolean) => Promise<unknown>
}

const annotate = (kind: 'service' | 'ingress', key: string, value: string): Refusal['change'] => {
  return (of, isThere) =>
    cluster.kubectl('annotate', '--overwrite', kind, of, isThere ? `${key}=${value}` : `${key}-`)
}
const refusals: Refusal[] = [
  {
    reason: 'StaticCookie',
    change: annotate('service', 'haproxy.org/cookie-persistence-no-dynamic', 'mycookie'),
  },
  { reason: 'HashBalancing', change: annotate('ingress', 'haproxy.org/load-balance', 'uri') },
  {
    reason: 'SnippetUndoes',
    change: annotate('ingress', 'haproxy.org/backend-config-snippet', 'default-server inter 3s'),
  },
  {
    reason: 'PublishesNotReadyAddresses',
    change: (of, isThere) => {
      const patch = JSON.stringify({ spec: { publishNotReadyAddresses: isThere } })
      return cluster.kubectl('patch', 'service', of, '-p', patch)
    },
  },
  {
    reason: 'KeptOut',
    isSilent: true,
    change: async (of, isThere) => {
      if (of === 'web')
        await cluster.kubectl(
          'label',
          'service/web',
          isThere ? 'zonefirst.io/enabled=false' : 'zonefirst.io/enabled-',
        )
    },
  },
]

for (const { reason, isSilent, change } of refusals) {
  // Behind "plain", which was always kept out, are the same pods: with the same settings it shows how it has to be.
  t.test(`refused (${reason}): each controller has what it has without zonefirst`, async (t) => {
    await untilRouted(cluster)
    for (const service of ['web', 'plain'] as const) await change(service, true)
    await cluster.until('the annotation is gone', async () => (await servers()) === undefined)
    if (!isSilent)
      await cluster.until('it is told', async () => (await eventReasons(cluster)).includes(reason))
    await untilSame(t)
    const traffic = await send(cluster)
    t.equal(traffic.failed, 0)
    for (const service of ['web', 'plain'] as const) await change(service, false)
    await untilRouted(cluster)
  })
}

/** Servers of both Services in every HAProxy: names, flags, and the addresses that they have among them. */
async function untilSame(t: Test): Promise<void> {
  for (const service of ['web', 'plain'] as const) {
    await untilServed(cluster, service, { proxies: 3, pods: 6, local: 0 })
  }
  for (const { zone, address } of await readyProxies(cluster)) {
    const all = await readServers(`${address}:${statsPort}`)
    const of = (service: ServiceName) => {
      const own = all.filter(({ backend }) => backend === `${namespace}_svc_${service}_http`)
      return {
        servers: own.map(({ server, isActive, isBackup }) => ({ server, isActive, isBackup })),
        addresses: own.map((each) => each.address).sort(),
      }
    }
    t.equal(of('plain').servers.length, 42, `${zone}: the controller's slots alone`)
    t.strictSame(of('web'), of('plain'), `${zone}: the same servers`)
  }
}

/** As the replica that leads counts it. */
async function withoutEffect(): Promise<number> {
  const text = await leaderMetrics(cluster)
  return Number(/^zonefirst_annotator_services_without_effect (\d+)$/m.exec(text)?.[1])
}
