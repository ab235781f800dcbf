// Programs that can't begin say why in one sentence.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '../..')

function runProgram(program: string, env: Record<string, string>) {
  return spawnSync(process.execPath, [`${program}/main.ts`], {
    cwd: root,
    env,
    encoding: 'utf8',
    timeout: 30_000,
  })
}

for (const program of ['webhook', 'annotator', 'certs']) {
  t.test(program, async (t) => {
    const outside = runProgram(program, {})
    t.equal(outside.status, 1)
    t.equal(
      outside.stderr,
      'not in a pod: KUBERNETES_SERVICE_HOST is not set; give a kubeconfig by ZONEFIRST_KUBECONFIG\n',
    )
    const wrong = runProgram(program, { ZONEFIRST_PROBES_PORT: 'none' })
    t.equal(wrong.status, 1)
    t.match(wrong.stderr, /^ZONEFIRST_PROBES_PORT is "none", but must be [^\n]*\n$/)
  })
}

t.test('a port that is taken', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const { status, stderr } = runProgram('annotator', {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: '1',
    ZONEFIRST_PROBES_PORT: String(port),
    ZONEFIRST_LISTEN_ADDRESS: '127.0.0.1',
  })
  t.equal(status, 1)
  t.match(stderr, /EADDRINUSE: address already in use/)
})
