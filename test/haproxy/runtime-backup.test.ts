// The fault that the original feature request reports, on real HAProxy: where `backup` stands on single server
// lines, a slot that is filled at run time is no backup until the next reload. Below our `default-server backup`
// every slot is one from the start.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Servers } from '../../annotator/plan/dialects/dialect.ts'
import { haproxytechSnippet as snippet } from '../../annotator/plan/dialects/haproxytech-snippet.ts'
import { findHAProxy } from '../cluster/haproxy.ts'
import { prepare } from '../cluster/prepare.ts'
import {
  endpointSlice,
  ingress,
  ingressClass,
  type Pod,
  render,
  service,
} from '../ingress-controller/objects.ts'
import { startHAProxyProcess } from './process.ts'

prepare(process.env)

const name = 'default_svc_web_http'
const env = { ZONE: 'zone-a', ZONE_RESOLVERS: 'zonefirst' }
const local = { address: '127.88.1.1', zone: 'zone-a' }
const remote = { address: '127.88.2.1', zone: 'zone-b' }
const late = { address: '127.88.2.2', zone: 'zone-b' }

const servers: Servers = {
  namespace: 'default',
  prefix: 'web-in',
  slots: 8,
  family: 'ipv4',
  ports: { [name]: 8080 },
}

interface Form {
  annotations?: Record<string, string>
  flags?: string[]
}
const onSingleLines: Form = { flags: ['--local-zone-backups'] }
const onDefaultServer: Form = { annotations: { [snippet.annotation]: snippet.write(servers) } }

/** Without health checks, so that nothing is sent anywhere. */
function backend(pods: Pod[], { annotations, flags }: Form): string {
  const unchecked = { ...annotations, 'haproxy.org/check': 'false' }
  const objects = [ingressClass, service(unchecked), ingress(), endpointSlice(pods)]
  return render(objects, flags, env).get(name) ?? ''
}

/** Runs HAProxy with the backend until the test ends, and returns its runtime API. */
async function haproxy(t: Test, backendText: string): Promise<(command: string) => Promise<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'zonefirst-haproxy-'))
  const socket = join(folder, 'admin.sock')
  const config = join(folder, 'haproxy.cfg')
  const parts = [
    `global\n  stats socket ${socket} level admin`,
    'defaults haproxytech\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s',
    'resolvers zonefirst\n  nameserver none 127.0.0.1:1',
    backendText,
  ]
  writeFileSync(config, `${parts.join('\n\n')}\n`)
  t.teardown(() => rmSync(folder, { recursive: true }))
  const program = findHAProxy(process.env) ?? 'haproxy'
  const { run, stop } = await startHAProxyProcess({ program, files: [config], socket, env })
  t.teardown(stop)
  return run
}

/** As the controller does it: address first, then state. */
function fill(slot: string, { address }: Pod): string {
  return `set server ${name}/${slot} addr ${address} port 8080;set server ${name}/${slot} state ready`
}

/** `show stat` of the backend's servers that are up: backup (1) or active (0), by name. */
async function backups(run: (command: string) => Promise<string>): Promise<Record<string, string>> {
  const [head = '', ...rows] = (await run('show stat')).trim().split('\n')
  const columns = head.replace('# ', '').split(',')
  const found: Record<string, string> = {}
  for (const row of rows) {
    const cells = row.split(',')
    const cell = (column: string) => cells[columns.indexOf(column)] ?? ''
    if (cell('pxname') === name && cell('svname').startsWith('SRV_') && cell('status') === 'no check') {
      found[cell('svname')] = cell('bck')
    }
  }
  return found
}

t.test('backup on single server lines: a slot filled at run time is active until the reload', async (t) => {
  const run = await haproxy(t, backend([local, remote], onSingleLines))
  t.same(await backups(run), { SRV_1: '0', SRV_2: '1' })
  await run(fill('SRV_3', late))
  t.same(await backups(run), { SRV_1: '0', SRV_2: '1', SRV_3: '0' }, 'the fault: a remote pod is active')

  const reloaded = await haproxy(t, backend([local, remote, late], onSingleLines))
  t.same(await backups(reloaded), { SRV_1: '0', SRV_2: '1', SRV_3: '1' })
})

t.test('default-server backup: every slot is backup, whenever it is filled', async (t) => {
  const run = await haproxy(t, backend([local, remote], onDefaultServer))
  t.same(await backups(run), { SRV_1: '1', SRV_2: '1' })
  await run(fill('SRV_3', late))
  t.same(await backups(run), { SRV_1: '1', SRV_2: '1', SRV_3: '1' })
  await run(`set server ${name}/SRV_2 state maint`)
  await run(fill('SRV_2', local))
  t.same(await backups(run), { SRV_1: '1', SRV_2: '1', SRV_3: '1' }, 'a slot that is used again')
})
