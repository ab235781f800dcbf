// The third dialect in backends that haproxy-ingress itself wrote (0.16.1 and 0.17.0-alpha.2 wrote the same), in a real
// HAProxy: what its commands make of servers there. The controller itself is in test/e2e/haproxy-ingress.test.ts.
import '../cluster/enter.ts'
import t, { type Test } from 'tap'
import { haproxyIngressSnippet as dialect } from '../../annotator/plan/dialects/haproxy-ingress-snippet.ts'
import { startHAProxy, zone } from '../haproxy/haproxy.ts'
import { backendWith, block, recordedName as name, record } from './haproxy-ingress-backend.ts'

const textIn = (backend: string) => (block.exec(backend)?.[0] ?? '').replaceAll(/^ {4}/gm, '')

/** The recorded backend with what the dialect writes today, in the recorded place. */
function backend(): string {
  const servers = {
    namespace: 'default',
    prefix: 'web-in',
    slots: 16,
    family: 'ipv4' as const,
    ports: { [name]: 8080 },
  }
  return backendWith(dialect.write(servers))
}

t.test('as recorded: the text line by line, before all servers, and nothing else is changed', async (t) => {
  const recorded = record('config-backend')
  t.strictSame(dialect.read(textIn(recorded)), { prefix: 'web-in', slots: 16 })
  t.equal(recorded.replace(block, '').replace(name, 'default_plain_http'), record('plain'))
  t.ok(recorded.search(block) < recorded.indexOf('    server srv001'))
})

t.test('as recorded: a user’s early text stands above ours', async (t) => {
  const recorded = record('early-user-text')
  t.ok(dialect.isOurs(textIn(recorded)))
  t.ok(recorded.indexOf('http-response set-header X-Early yes') < recorded.search(block))
})

/** Nothing listens behind its servers' addresses: flags are known without. */
async function start(t: Test, env?: Record<string, string>) {
  const haproxy = await startHAProxy(t, { backends: new Map([[name, backend()]]), ...(env && { env }) })
  const flags = async (which: RegExp) =>
    (await haproxy.servers(name))
      .filter(({ server }) => which.test(server))
      .map(({ isActive, isBackup }) => (isBackup ? 'backup' : isActive ? 'active' : 'none'))
  return { ...haproxy, flags }
}

t.test('its slots are backup, filled at run time or not, and the template’s servers active', async (t) => {
  const haproxy = await start(t)
  t.same(new Set(await haproxy.flags(/^srv/)), new Set(['backup']))
  for (const command of ['addr 127.88.1.1 port 8080', 'weight 1', 'state ready']) {
    await haproxy.run(`set server ${name}/srv007 ${command}`)
  }
  t.same(await haproxy.flags(/^srv007$/), ['backup'])
  t.same(await haproxy.flags(/^local-8080-/), Array(16).fill('active'))
  await haproxy.untilAsked(`web-in-${zone}.default.svc.cluster.local`, 1)
})

t.test('why dynamic-scaling=add is refused: a server that is added is no backup', async (t) => {
  const haproxy = await start(t)
  const answer = await haproxy.run(`add server ${name}/srv013 127.88.1.1:8080 weight 1 check inter 2s`)
  t.equal(answer.trim(), 'New server registered.')
  t.same(await haproxy.flags(/^srv013$/), ['active'])
})

t.test('without ZONE it is as without us', async (t) => {
  const haproxy = await start(t, { ZONE_RESOLVERS: 'zonefirst' })
  t.same(new Set(await haproxy.flags(/^srv/)), new Set(['active']))
  t.same(await haproxy.flags(/^local-/), [])
})
