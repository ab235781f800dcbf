// jcmoraisjr's haproxy-ingress with the third dialect: the controller itself, as there is no stand-in for it. Without one
// nothing is asserted but what the records hold (test/ingress-controller/haproxy-ingress.test.ts).
import '../cluster/enter.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import { runCommand } from '../cluster/command.ts'
import type { ServiceName } from '../scenario/application.ts'
import { zonefirst } from '../scenario/command-line.ts'
import { configurationFile, haproxyIngressProxies, ownPorts, versionOf } from '../scenario/haproxy-ingress.ts'
import { readServers } from '../scenario/haproxy-stats.ts'
import { proxyNamespace, statsPort, type ZoneOptions } from '../scenario/proxies.ts'
import { isBackendOf, untilServed, workerStarts } from '../scenario/routing.ts'
import { eventReasons } from '../scenario/told.ts'
import { readyProxies } from '../scenario/traffic.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'
import { assertByZone, runApplication, send, sendDuring, untilRouted, zones } from './system.ts'

const program = process.env.ZONEFIRST_HAPROXY_INGRESS
const haproxy = process.env.HAPROXY ?? 'haproxy'
const version = program ? versionOf(program) : ''
const needsController = {
  skip: !program && 'ZONEFIRST_HAPROXY_INGRESS names no program of haproxy-ingress',
}
const needsNewerTexts = {
  skip: needsController.skip || (/^v?0\.1[0-5]\./.test(version) && 'these texts came with version 0.16'),
}

let cluster: Cluster
t.before(async () => {
  if (!program) return
  const haproxyVersion = /\d+\.\d+\.\d+/.exec(await runCommand([haproxy, '-v']))?.[0]
  t.comment(`ingress controller: haproxy-ingress ${version}, HAProxy ${haproxyVersion}`)
  cluster = await startCluster({ zones })
  t.teardown(() => cluster.stop())
  await installZonefirst(cluster, {
    annotatorEnv: {
      ZONEFIRST_DIALECT: 'haproxy-ingress-snippet',
      ZONEFIRST_GRACE_TIME: '5s',
      ZONEFIRST_RELEASE_TIME: '5s',
      ZONEFIRST_EFFECT_INTERVAL: '1s',
      ZONEFIRST_STATS_PORT: String(ownPorts.metrics),
      ZONEFIRST_PROXY_NAMESPACES: proxyNamespace,
    },
  })
  await runApplication(cluster)
  await runController()
})

async function runController(options: ZoneOptions & { flags?: readonly string[] } = {}): Promise<void> {
  if (!program) throw new Error('there is no controller to run')
  const { kubeconfig } = cluster
  await cluster.apply(haproxyIngressProxies({ program, haproxy, kubeconfig, ...options }))
  await cluster.kubectl('-n', proxyNamespace, 'rollout', 'status', 'daemonset', '--timeout=90s')
}

const label = (change: string) => cluster.kubectl('label', 'service/web', `zonefirst.io/enabled${change}`)
const annotate = (object: string, change: string) =>
  cluster.kubectl('annotate', object, `haproxy-ingress.github.io/${change}`, '--overwrite')

const untilUnrouted = () => untilServed(cluster, 'web', { proxies: zones.length, pods: 6, local: 0 })

/** The backend's text without its servers, which each reload sorts, as every zone's controller wrote it. */
async function textsOf(service: ServiceName): Promise<string[]> {
  const proxies = await readyProxies(cluster)
  return Promise.all(
    proxies.map(async ({ pod: name }) => {
      const folder = cluster.kubelet.podFolder({ metadata: { namespace: proxyNamespace, name } })
      const text = await readFile(join(folder, 'containers/controller', configurationFile), 'utf8')
      const lines = text.split(/\n(?=backend )|\n\n/).find((part) => {
        return isBackendOf(service, /^backend (\S+)/.exec(part)?.[1] ?? '')
      })
      return lines?.replace(/^backend .*\n/, '').replace(/^ +server .*\n?/gm, '') ?? ''
    }),
  )
}

t.test('traffic stays in its zone, and growth brings no reload', needsController, async (t) => {
  await runApplication(cluster)
  const before = await untilRouted(cluster)
  assertByZone(t, before)
  const traffic = await send(cluster)
  t.equal(traffic.failed, 0)
  t.equal(traffic.crossedRequests, 0)

  // as many as the controller keeps slots for, six more than at the last reload
  await cluster.kubectl('scale', 'deployment/web', '--replicas=12')
  const after = await untilRouted(cluster, 12)
  t.same(workerStarts(after), workerStarts(before), 'no HAProxy was reloaded')
  assertByZone(t, after)
  t.equal((await send(cluster)).crossedRequests, 0)
})

t.test('doctor and report read its own page of statistics', needsController, async (t) => {
  await runApplication(cluster)
  await untilRouted(cluster)
  const port = `--stats-port=${ownPorts.stats}`
  // rollouts leave traces for some seconds
  await cluster
    .until('doctor calls it healthy', async () => (await zonefirst(cluster, 'doctor', port)).exitCode === 0)
    .catch(() => {})
  const { out } = await zonefirst(cluster, 'doctor', port, '--output=json')
  t.strictSame(JSON.parse(out).findings, [])
  await send(cluster)
  const { services } = JSON.parse((await zonefirst(cluster, 'report', port, '--output=json')).out)
  const web = services.find(({ name }: { name: string }) => name === 'web')
  t.equal(web.requests.crossed, 0)
  t.ok(web.requests.kept >= 180, `${web.requests.kept} requests were kept`)
})

t.test('a text that it leaves out is told by its own metrics', needsController, async (t) => {
  await runApplication(cluster)
  await untilRouted(cluster)
  t.notOk((await eventReasons(cluster)).includes('WithoutEffect'))
  await runController({ flags: ['--disable-config-keywords=server-template'] })
  t.teardown(async () => {
    await runController()
    await untilRouted(cluster)
  })
  await untilUnrouted()
  await cluster.until('it is told', async () => (await eventReasons(cluster)).includes('WithoutEffect'))
})

t.test('opting out restores what was there, and no request fails meanwhile', needsController, async (t) => {
  await runApplication(cluster, { drainTime: 5 })
  await untilRouted(cluster)
  const { failures } = await sendDuring(cluster, async () => {
    await label('=false')
    await untilUnrouted()
  })
  t.same(failures, {})
  t.same(await textsOf('web'), await textsOf('plain'))
  const { zones: answers } = await send(cluster)
  for (const { zone, byPod } of answers) t.equal(Object.keys(byPod).length, 6, `${zone}: all pods answer`)
  await label('-')
  await untilRouted(cluster)
})

const silent: Record<string, string> = {
  'a text on the Ingress, which ours would hide': 'config-backend=http-response set-header x-mine yes',
  'a text that would hide ours': 'config-backend-late=http-response set-header x-mine yes',
  'servers that would come as normal ones': 'dynamic-scaling=add',
}
for (const [name, setting] of Object.entries(silent)) {
  const needs = setting.includes('late') ? needsNewerTexts : needsController
  t.test(`left alone: ${name}`, needs, async (t) => {
    await runApplication(cluster)
    await untilRouted(cluster)
    await annotate('ingress/web', setting)
    t.teardown(async () => {
      await annotate('ingress/web', `${setting.split('=')[0]}-`)
      await untilRouted(cluster)
    })
    await untilUnrouted()
    for (const text of await textsOf('web')) t.notMatch(text, 'server-template')
    if (setting.includes('x-mine')) for (const text of await textsOf('web')) t.match(text, 'x-mine')
  })
}

t.test('a user’s early text stands beside ours', needsNewerTexts, async (t) => {
  await runApplication(cluster)
  await annotate('ingress/web', 'config-backend-early=http-response set-header x-mine yes')
  t.teardown(() => annotate('ingress/web', 'config-backend-early-'))
  await cluster.until('both texts are there', async () => {
    const texts = await textsOf('web')
    return texts.every((text) => text.includes('x-mine') && text.includes('server-template'))
  })
  assertByZone(t, await untilRouted(cluster))
})

const unprepared: Record<string, ZoneOptions> = {
  'without ZONE': { without: ['ZONE'] },
  'with an empty ZONE_RESOLVERS': { empty: ['ZONE_RESOLVERS'] },
}
for (const [name, options] of Object.entries(unprepared)) {
  t.test(`${name} all serve`, needsController, async (t) => {
    await runApplication(cluster)
    await runController(options)
    for (const service of ['web', 'plain'] as const) {
      await untilServed(cluster, service, { proxies: zones.length, pods: 6, local: 0 })
    }
    for (const { zone, address } of await readyProxies(cluster)) {
      const servers = await readServers(`${address}:${statsPort}`)
      const of = (service: ServiceName) =>
        servers
          .filter(({ backend }) => isBackendOf(service, backend))
          .map(({ server, isActive, isBackup }) => ({ server, isActive, isBackup }))
      t.same(of('web'), of('plain'), `${zone}: the same servers`)
    }
    const traffic = await send(cluster)
    t.equal(traffic.failed, 0)
    for (const { zone, byPod } of traffic.zones) {
      t.equal(Object.keys(byPod).length, 6, `${zone}: all pods of all zones answer`)
    }
  })
}
