// The section that is installed is a valid one whatever resolv.conf a HAProxy finds, where the one that HAProxy makes by itself
// is not: a controller that refers to a section that isn't there takes no change of any Ingress any more.
import '../cluster/enter.ts'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { prepare } from '../cluster/prepare.ts'
import { dialects, renderBackends } from './backends.ts'
import { auxiliaryText, configuration } from './configuration.ts'
import { haproxyPrograms } from './programs.ts'

prepare(process.env)

const folder = mkdtempSync(join(tmpdir(), 'zonefirst-resolv-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const backends = renderBackends([{ name: 'web', dialect: dialects.annotation, endpoints: ['127.88.1.1'] }])
const config = file(
  'haproxy.cfg',
  configuration(backends.values(), { socket: join(folder, 'admin.sock'), listen: '127.0.0.1:8000' }),
)
const rows = {
  'of a pod': 'search shop.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n',
  'of a Node': 'nameserver 192.0.2.1\n',
  empty: '',
  'with comments alone': '# nothing\n',
  'with a search list alone': 'search example.test\n',
  'with a scoped address alone': 'nameserver fe80::1%eth0\n',
  'with a name alone': 'nameserver dns.example.test\n',
}

for (const { program, version } of haproxyPrograms(process.env)) {
  for (const [name, text] of Object.entries(rows)) {
    t.test(`HAProxy ${version}, resolv.conf ${name}`, async (t) => {
      const check = (resolvers: string) => {
        // in a mount namespace of its own
        const script = 'mount --bind "$1" /etc/resolv.conf && exec "$2" -c -f "$3" -f "$4"'
        const files = [file('resolv.conf', text), program, config, file('aux.cfg', auxiliaryText)]
        return spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', ...files], {
          env: { PATH: process.env.PATH, ZONE: 'zone-a', ZONE_RESOLVERS: resolvers },
          encoding: 'utf8',
        })
      }
      const installed = check('zonefirst')
      t.equal(installed.status, 0, installed.stderr)
      if (!name.startsWith('of ')) t.not(check('default').status, 0, 'why it is not HAProxy’s own section')
    })
  }
}
