// What users' own lines in the same backend do to ours, on real HAProxy: why the annotator refuses each of them, and that it
// does.
import '../cluster/enter.ts'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { haproxytechSnippet } from '../../annotator/plan/dialects/haproxytech-snippet.ts'
import type { Reason } from '../../annotator/plan/reasons.ts'
import { refusalOfSettings } from '../../annotator/plan/refused-settings.ts'
import { input, service } from '../fixtures/cluster-objects.ts'
import { backendName, dialects, renderBackends, type Sketch, zonalHost } from './backends.ts'
import { configuration } from './configuration.ts'
import { startHAProxy, zone } from './haproxy.ts'
import { addresses, startPods } from './pods.ts'

const snippet = haproxytechSnippet.annotation
const backend = backendName({ name: 'web' })

/** The controller's backend with a user's line beside ours: above it, as a snippet is, or below. */
function withLine(line: string, endpoints: readonly string[], place: 'above' | 'below'): Map<string, string> {
  const sketch: Sketch = { name: 'web', dialect: dialects.annotation, endpoints }
  if (place === 'above') return renderBackends([{ ...sketch, annotations: { [snippet]: line } }])
  const [[name, text]] = [...renderBackends([sketch])] as [[string, string]]
  return new Map([[name, text.replace('.endif', `.endif\n  ${line}`)]])
}

function isRefused(t: Test, line: string, reason: Reason): void {
  const metadata = { ...service().metadata, annotations: { [snippet]: line } }
  const refusal = refusalOfSettings(input({ primary: service({ metadata }) }), dialects.annotation)
  t.equal(refusal?.reason, reason, `${line}: refused`)
}

async function start(t: Test, line: string, place: 'above' | 'below') {
  const pods = await startPods(t, 2)
  const [local, remote] = [addresses(pods[1]), addresses([...pods[2], ...pods[3]])]
  const haproxy = await startHAProxy(t, { backends: withLine(line, [...local, ...remote], place) })
  return { haproxy, local, remote, host: zonalHost({ name: 'web', endpoints: [] }, zone) }
}

t.test('no option allbackups: one pod would get all that a zone without pods has', async (t) => {
  const { haproxy } = await start(t, 'no option allbackups', 'below')
  const { byPod } = await haproxy.send(backend, 30)
  t.strictSame(Object.values(byPod), [30])
  isRefused(t, 'no option allbackups', 'SnippetUndoes')
})

t.test('default-server no-backup: pods of all zones would be normal ones', async (t) => {
  const line = 'default-server no-backup'
  const { haproxy, local, remote, host } = await start(t, line, 'below')
  haproxy.dns.set(host, local)
  await haproxy.untilLocal(backend, local)
  const { byPod } = await haproxy.send(backend, 60)
  t.ok(
    remote.every((address) => (byPod[address] ?? 0) > 0),
    JSON.stringify(byPod),
  )
  isRefused(t, line, 'SnippetUndoes')
})

t.test('a server line above ours: it would stay a normal server in every zone', async (t) => {
  const line = 'server mine 127.88.3.2:8080'
  const { haproxy, local, host } = await start(t, line, 'above')
  haproxy.dns.set(host, local)
  await haproxy.untilLocal(backend, local)
  const { byPod } = await haproxy.send(backend, 60)
  t.strictSame(Object.keys(byPod).sort(), [...local, '127.88.3.2'])
  isRefused(t, line, 'SnippetUndoes')
})

t.test('a stick table: a client would be held to a server that another pod has by then', async (t) => {
  const lines = 'stick-table type string len 32 size 1k expire 30m\nstick on req.hdr(x-backend)'
  const { haproxy, local, remote, host } = await start(t, lines, 'above')
  await haproxy.untilAsked(host, 1)
  const [first = ''] = Object.keys((await haproxy.send(backend, 1)).byPod)
  t.ok([...local, ...remote].includes(first))
  haproxy.dns.set(host, local)
  await haproxy.untilLocal(backend, local)
  const { byPod } = await haproxy.send(backend, 20)
  t.strictSame(byPod, { [first]: 20 }, 'clients that came while the zone had no pods would stay away from it')
  isRefused(t, lines, 'StickTable')
})

t.test('our own text a second time: no configuration at all', async (t) => {
  const text = haproxytechSnippet.write({
    namespace: 'default',
    prefix: 'web-in',
    slots: 8,
    family: 'ipv4',
    ports: { [backend]: 8080 },
  })
  const ours = text.slice(text.indexOf('server-template')).split('\n')[0] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'zonefirst-check-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'haproxy.cfg')
  const backends = withLine(ours, [], 'above').values()
  const resolvers = '\nresolvers zonefirst\n  nameserver test 127.0.0.1:53\n'
  const options = { socket: join(folder, 'admin.sock'), listen: '127.0.0.1:8000' }
  writeFileSync(file, configuration(backends, options) + resolvers)
  const env = { ZONE: zone, ZONE_RESOLVERS: 'zonefirst' }
  const { status, stderr } = spawnSync(process.env.HAPROXY ?? 'haproxy', ['-c', '-f', file], {
    env,
    encoding: 'utf8',
  })
  t.not(status, 0)
  t.match(stderr, /same name|already defined|declared twice/i)
  const metadata = { ...service().metadata }
  const [ingress] = input().ingresses
  const copied = { ...ingress, metadata: { ...ingress?.metadata, annotations: { [snippet]: text } } }
  const refusal = refusalOfSettings(
    input({ primary: service({ metadata }), ingresses: [copied as NonNullable<typeof ingress>] }),
    dialects.snippet,
  )
  t.equal(refusal?.reason, 'SnippetUndoes', 'a copy on the Ingress')
})
