// `zonefirst status` on a real API server, with the annotator at work: what its table says of Services that are routed,
// lent between zones, refused and left alone; and what any command says of a cluster that is not as it should be.
import '../cluster/enter.ts'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { commands } from '../../cli/command-line.ts'
import type { Mode, ZoneState } from '../../cli/service-states.ts'
import { startCluster } from '../cluster/cluster.ts'
import { runWith, zonefirst } from '../scenario/command-line.ts'
import { ingress, openShop, pod, service } from '../scenario/shop.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b', 'c'] })
t.teardown(() => cluster.stop())
await installZonefirst(cluster)

interface Row {
  name: string
  mode: Mode
  reason: string
  message?: string
  zones: ZoneState[]
  lastChange?: { at: string; what: string }
}

interface Config {
  clusters: [{ cluster: { server: string; 'insecure-skip-tls-verify'?: boolean } }]
  users: [{ user: { token: string } }]
}

async function rows(...args: string[]): Promise<Record<string, Row>> {
  const { exitCode, out } = await zonefirst(cluster, 'status', '--output=json', ...args)
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}`)
  const { services } = JSON.parse(out) as { services: Row[] }
  return Object.fromEntries(services.map((row) => [row.name, row]))
}

t.test('Services that are routed, refused and left alone', async (t) => {
  const shop = await openShop(cluster, t)
  const other = { labels: { app: 'other', 'zonefirst.io/enabled': 'true' } }
  await shop.apply(
    pod('web-a', 'node-a-1'),
    pod('web-b', 'node-b-1'),
    service('web'),
    ingress('web'),
    pod('other', 'node-c-1', other),
    service('other', { selector: { app: 'other' }, publishNotReadyAddresses: true }),
    ingress('other'),
    service('unrouted', { selector: { app: 'other' } }),
    service('alien', { selector: { app: 'alien' } }),
  )
  await shop.untilServers('web')
  await shop.untilEvent('other', 'PublishesNotReadyAddresses')
  const found = await rows('-n', shop.namespace)
  t.strictSame(Object.keys(found).sort(), ['other', 'unrouted', 'web'], 'nobody asked about alien')
  t.match(found.web, { mode: 'zonal', reason: 'Routed', lastChange: { what: 'ZoneFirst' } })
  t.strictSame(
    found.web?.zones.map(({ key, ready, serving, lent }) => [key, ready, serving, lent]),
    [
      ['a', 1, 1, 0],
      ['b', 1, 1, 0],
      ['c', 0, 0, 0],
    ],
  )
  t.match(found.other, { mode: 'off', reason: 'PublishesNotReadyAddresses', message: /turn that off/ })
  t.match(found.unrouted, { mode: 'off', reason: 'NotRouted' })
  t.ok('alien' in (await rows('--all', '-n', shop.namespace)))

  await shop.kubectl('label', '--overwrite', 'pod/web-b', 'zonefirst.io/serves=c')
  const { exitCode, out } = await zonefirst(cluster, 'status', '-n', shop.namespace)
  t.equal(exitCode, 0)
  const line = out.split('\n').find((each) => each.startsWith(`${shop.namespace}/web `))
  t.match(line, /zonal +2 +\d +\d +0 +\d+s +Routed$/)
  t.match(out, /^ +b +1 +\d +\d +0$/m)
})

t.test('a Service that the annotator has not come to yet, and one that it is about to leave', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  await shop.untilServers('web')
  await cluster.kubectl('-n', 'zonefirst-system', 'scale', 'deployment/zonefirst-annotator', '--replicas=0')
  t.teardown(() =>
    cluster.kubectl('-n', 'zonefirst-system', 'scale', 'deployment/zonefirst-annotator', '--replicas=2'),
  )
  await cluster.until('the annotator is gone', async () => {
    const selector = ['-l', 'app.kubernetes.io/name=zonefirst-annotator', '-o', 'name']
    return (await cluster.kubectl('-n', 'zonefirst-system', 'get', 'pods', ...selector)) === ''
  })
  await shop.kubectl('label', 'service/web', 'zonefirst.io/enabled=false')
  const labels = { app: 'new', 'zonefirst.io/enabled': 'true' }
  await shop.apply(
    pod('new-a', 'node-a-1', { labels }),
    service('new', { selector: { app: 'new' } }),
    ingress('new'),
  )
  await cluster.until('its pod is ready', async () => (await shop.endpoints('new')).length === 1)
  const found = await rows('-n', shop.namespace)
  t.match(found.web, { mode: 'ending', reason: 'KeptOut' })
  t.match(found.new, { mode: 'starting', reason: 'Routed' })
})

t.test('a cluster without the definition of ValidationRules', async (t) => {
  const { exitCode, said } = await zonefirst(cluster, 'status')
  t.equal(exitCode, 0)
  t.equal(said.filter((line) => /does not know ValidationRules/.test(line)).length, 1)
})

t.test('no permission, no server, wrong arguments', async (t) => {
  const config: Config = JSON.parse(await readFile(cluster.kubeconfig, 'utf8'))
  const kubeconfig = async (name: string, change: (each: Config) => void) => {
    const changed = structuredClone(config)
    change(changed)
    const file = `${cluster.folder}/${name}.kubeconfig`
    await writeFile(file, JSON.stringify(changed))
    return file
  }
  const token = await cluster.kubectl('create', 'token', 'default')
  const nobody = await kubeconfig('nobody', (each) => {
    each.users[0].user.token = token.trim()
  })
  const wrong = await kubeconfig('wrong', (each) => {
    each.users[0].user.token = 'wrong'
  })
  const away = await kubeconfig('away', (each) => {
    each.clusters[0].cluster.server = 'https://10.96.0.1:1'
  })
  const old = createServer((_, answer) => answer.end('{"gitVersion":"v1.27.4"}')).listen(0, '127.0.0.1')
  await once(old, 'listening')
  t.teardown(() => old.close())
  const older = await kubeconfig('older', (each) => {
    each.clusters[0].cluster = {
      server: `http://127.0.0.1:${(old.address() as AddressInfo).port}`,
      'insecure-skip-tls-verify': true,
    }
  })
  const cases: [string[], number, RegExp][] = [
    [['--kubeconfig', nobody], 3, /^Permission is missing: .*default:default.* cannot list resource/],
    [['--kubeconfig', wrong], 3, /does not know these credentials/],
    [
      ['--kubeconfig', away],
      3,
      /^Can’t reach the API server at https:\/\/10\.96\.0\.1:1, as nothing listens/,
    ],
    [
      ['--kubeconfig', older],
      3,
      /^The cluster runs Kubernetes v1\.27\.4, and zonefirst needs 1\.30 or later/,
    ],
    [['--kubeconfig', '/nonexistent/config'], 3, /^The kubeconfig \/nonexistent\/config can’t be read/],
    [['--context', 'nowhere'], 3, /^The kubeconfig has no context nowhere, it has admin\.$/],
    [['--output', 'yaml'], 2, /^--output is "yaml", but must be one of table, json\.$/],
    [['--frobnicate'], 2, /^Unknown option '--frobnicate': see zonefirst [a-z]+ --help\.$/],
  ]
  for (const command of Object.keys(commands)) {
    for (const [args, exitCode, sentence] of cases) {
      const outcome = await zonefirst(cluster, command, ...args)
      t.equal(outcome.exitCode, exitCode, `${command} ${args.join(' ')}`)
      t.match(outcome.said.at(-1), sentence)
      t.equal(outcome.out, '')
    }
  }
  t.match(await zonefirst(cluster, 'report'), {
    exitCode: 3,
    said: [/^reading/, /does not know ValidationRules/, /^No ingress controller is ready that has opted in/],
  })
  const none = await runWith({ HOME: '/nonexistent' }, 'status')
  t.match(none, { exitCode: 3, said: ['There is no kubeconfig: name one by --kubeconfig or KUBECONFIG.'] })
})
