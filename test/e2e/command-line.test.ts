// `zonefirst doctor` and `zonefirst report` on the whole system: a healthy cluster is called so, faults are found where they
// are, and what HAProxy counts agrees with what the kernel saw on the links between zones.
import '../cluster/enter.ts'
import { readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import type { Finding } from '../../cli/doctor/finding.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ServiceName } from '../scenario/application.ts'
import { zonefirst } from '../scenario/command-line.ts'
import { proxyNamespace, statsPort } from '../scenario/proxies.ts'
import { untilServed } from '../scenario/routing.ts'
import {
  measureCrossing,
  readyPods,
  readyProxies,
  sendFromEveryZone,
  zonesOfPods,
} from '../scenario/traffic.ts'
import { systemNamespace } from '../scenario/zonefirst.ts'
import { startSystem, untilRouted, zones } from './system.ts'

let cluster: Cluster
t.before(async () => {
  const annotatorEnv = { ZONEFIRST_PROXY_NAMESPACES: proxyNamespace }
  cluster = await startSystem(t, { install: { annotatorEnv } })
  await untilRouted(cluster)
  await untilServed(cluster, 'plain', { proxies: 3, pods: 6, local: 0 })
})

async function findings(...args: string[]): Promise<Finding[]> {
  const { exitCode, out, said } = await zonefirst(cluster, 'doctor', '--output=json', ...args)
  if (exitCode > 1) throw new Error(said.join('\n'))
  const { findings } = JSON.parse(out) as { findings: Finding[] }
  const isWrong = findings.some(({ severity }) => severity !== 'note')
  if ((exitCode === 1) !== isWrong) throw new Error(`exit code ${exitCode} with ${findings.length} findings`)
  return findings
}

const checks = async (...args: string[]) => [...new Set((await findings(...args)).map(({ check }) => check))]

t.test('a healthy cluster', async (t) => {
  // rollouts leave traces for some seconds
  await cluster
    .until('doctor calls it healthy', async () => (await checks()).length === 0, { intervalMs: 1_000 })
    .catch(() => {})
  t.strictSame(await findings(), [])
  const { out } = await zonefirst(cluster, 'doctor')
  t.match(out, /^All is well\./)
  t.match(out, /^HAProxy +\d/m)
  const direct = await findings('--stats=direct')
  t.strictSame(direct, [], 'statistics read at the pods’ own addresses say the same')
})

const kib64 = { path: `/bytes/${64 * 1024}`, requests: 200, connections: 4, timeout: 10_000 }

interface Row {
  name: string
  routedByZone: boolean
  requests: { kept: number; crossed: number; unknown: number }
  bytes: { kept: number; crossed: number; unknown: number }
  shares: { crossed: number; least: number; without: number }
  dollarsAMonth: { crossed: number; saved: number }
}

/** What one exchange of 64 KiB answers adds to the report, and what the kernel saw cross zones meanwhile. */
async function report(service: ServiceName) {
  const saved = `${cluster.folder}/counters.json`
  await zonefirst(cluster, 'report', '--save', saved)
  const { traffic, crossedBytes } = await measureCrossing(cluster, () =>
    sendFromEveryZone(cluster, service, kib64),
  )
  const svg = `${cluster.folder}/report.svg`
  const { out, exitCode } = await zonefirst(
    cluster,
    ...['report', '--since', saved, '--output=json', '--svg', svg],
  )
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}`)
  const { services } = JSON.parse(out) as { services: Row[] }
  const row = services.find(({ name }) => name === service)
  if (row === undefined) throw new Error(out)
  return {
    row,
    failed: traffic.failed,
    kernel: crossedBytes * traffic.bodyBytes,
    svg: await readFile(svg, 'utf8'),
  }
}

function agrees(t: Test, reported: number, kernel: number): void {
  const difference = Math.abs(reported - kernel) / kernel
  t.comment(
    `report ${reported} bytes, kernel ${Math.round(kernel)}: ${(difference * 100).toFixed(2)} % apart`,
  )
  t.ok(difference < 0.05, `${reported} against ${kernel}`)
}

t.test('without zonefirst: what crosses is what the kernel counts', async (t) => {
  const { row, kernel, failed, svg } = await report('plain')
  t.equal(failed, 0)
  t.equal(row.routedByZone, false)
  t.equal(row.requests.kept + row.requests.crossed, 600)
  t.equal(row.bytes.unknown, 0)
  agrees(t, row.bytes.crossed, kernel)
  t.ok(Math.abs(row.shares.crossed - row.shares.without) < 0.05, `${row.shares.crossed}`)
  t.equal(row.shares.least, 0)
  t.match(svg, /default\/plain/)
})

t.test('with zonefirst nothing crosses', async (t) => {
  const { row, kernel } = await report('web')
  t.equal(row.routedByZone, true)
  t.equal(row.requests.crossed, 0)
  t.equal(row.bytes.crossed, 0)
  t.ok(kernel < row.bytes.kept * 0.01, `${kernel}`)
  t.ok(row.dollarsAMonth.saved > 0)
})

t.test('the dashboard asks for what HAProxy and the API server count', async (t) => {
  const dashboard = await readFile('manifests/chart/files/dashboard.json', 'utf8')
  const [, local = ''] = /server=~\\"([^"\\]+)\\"/.exec(dashboard) ?? []
  const metrics = await Promise.all(
    (await readyProxies(cluster)).map(async ({ address }) => {
      const answer = await fetch(`http://${address}:${statsPort}/metrics`, {
        headers: { connection: 'close' },
      })
      return answer.text()
    }),
  )
  const names = new Set(dashboard.match(/haproxy_\w+/g))
  t.ok(names.size > 0)
  for (const name of names) {
    const line = new RegExp(`^${name}\\{proxy="default_svc_web_http",server="([^"]+)"\\} (\\d+)$`, 'gm')
    const counts = metrics.flatMap((text) => [...text.matchAll(line)])
    const bytes = (isWanted: boolean) =>
      counts
        .filter(([, server = '']) => new RegExp(`^(?:${local})$`).test(server) === isWanted)
        .reduce((sum, [, , count]) => sum + Number(count), 0)
    t.ok(bytes(true) > 0, name)
    t.ok(bytes(false) < bytes(true) * 0.01, `${name}: what stayed went through the template’s servers`)
  }
  const apiServer = await cluster.kubectl('get', '--raw', '/metrics')
  t.match(
    apiServer,
    'apiserver_admission_webhook_admission_duration_seconds_bucket{name="bindings.zonefirst.io"',
  )
})

t.test('a lent pod’s bytes cross, though its label says that it serves the zone', async (t) => {
  const annotator = ['-n', systemNamespace, 'deployment/zonefirst-annotator']
  await cluster.kubectl('scale', ...annotator, '--replicas=0')
  t.teardown(async () => {
    await cluster.kubectl('scale', ...annotator, '--replicas=2')
    await cluster.kubectl('rollout', 'status', ...annotator, '--timeout=90s')
    await untilRouted(cluster)
  })
  const home = await zonesOfPods(cluster)
  const pod = (await readyPods(cluster)).find(({ metadata }) => home.get(metadata?.name ?? '') === zones[2])
  await cluster.kubectl(
    'label',
    '--overwrite',
    'pod',
    pod?.metadata?.name ?? '',
    `zonefirst.io/serves=${zones[1]}`,
  )
  await cluster.until('zone b has three servers', async () => {
    const { out } = await zonefirst(cluster, 'status', '--output=json')
    const { services } = JSON.parse(out)
    const web = services.find(({ name }: { name: string }) => name === 'web')
    return web.zones[1].serving === 3 && web.zones[2].lent === 1
  })
  const name = `web-in-${zones[1]}`
  await cluster.until('its address is in the zonal Service, and the DNS knows it', async () => {
    const slices = await cluster.kubectl(
      'get',
      'endpointslices',
      '-l',
      `kubernetes.io/service-name=${name}`,
      '-o',
      'json',
    )
    return (slices.match(/"ready": true/g) ?? []).length === 3
  })
  await cluster.until('HAProxy serves it', async () => {
    const { out } = await zonefirst(cluster, 'report', '--output=json')
    await sendFromEveryZone(cluster, 'web', { path: '/', requests: 12, connections: 1, timeout: 10_000 })
    const { services } = JSON.parse(out) as { services: Row[] }
    return (services.find((each) => each.name === 'web')?.requests.crossed ?? 0) > 3
  })
  const { row, kernel } = await report('web')
  t.ok(
    row.requests.crossed > 50 && row.requests.crossed < 80,
    `a third of one zone’s 200: ${row.requests.crossed}`,
  )
  agrees(t, row.bytes.crossed, kernel)
})

t.test('faults of a real cluster', async (t) => {
  const rules = ['-n', 'haproxy-controller', 'validationrules.ingress.v3.haproxy.org/zonefirst']
  await cluster.kubectl(
    'patch',
    ...rules,
    '--type=json',
    '-p',
    '[{"op":"replace","path":"/spec/prefix","value":"other.io"}]',
  )
  t.strictSame(await checks('--no-stats'), ['validation-rules'])
  await cluster.kubectl('apply', '-f', 'manifests/ingress-controller/validation-rules.yaml')

  const webhook = ['-n', systemNamespace, 'deployment/zonefirst-webhook']
  await cluster.kubectl('scale', ...webhook, '--replicas=0')
  let found: string[] = []
  // it answers while it drains, and the API server asks the endpoints that it heard of last
  await cluster
    .until('nothing is ready behind the webhook’s Service, and nothing answers', async () => {
      found = (await checks('--no-stats')).sort()
      return found.length > 1
    })
    .catch(() => {})
  t.strictSame(found, ['webhook-answers', 'webhook-endpoints'])
  await cluster.kubectl('scale', ...webhook, '--replicas=2')
  await cluster.kubectl('rollout', 'status', ...webhook, '--timeout=90s')

  await cluster.kubectl('delete', 'validatingadmissionpolicybinding', 'zonefirst-zonal-names')
  t.strictSame(await checks('--no-stats'), ['admission-policies'])

  await cluster.kubectl(
    'patch',
    'mutatingwebhookconfiguration',
    'zonefirst',
    '--type=json',
    '-p',
    '[{"op":"replace","path":"/webhooks/1/failurePolicy","value":"Fail"}]',
  )
  t.strictSame((await checks('--no-stats')).sort(), ['admission-policies', 'webhook-failure-policy'])

  // last: the annotator follows it, and stamps an ingress controller anew
  await cluster.kubectl('label', 'node', 'node-eu-west-1c-1', 'topology.kubernetes.io/zone-')
  t.ok((await checks('--no-stats')).includes('node-without-zone'))
  await cluster.kubectl('label', 'node', 'node-eu-west-1c-1', `topology.kubernetes.io/zone=${zones[2]}`)
})
