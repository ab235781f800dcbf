import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { asOrdinaryUser, withPlainEnvironment } from './ordinary-user.ts'
import { prepare } from './prepare.ts'

const program = fileURLToPath(new URL('cluster-fixture.ts', import.meta.url))

t.setTimeout(180_000)
prepare(process.env)

t.test('two clusters with the same addresses do not meet, though one is an ordinary user’s', async (t) => {
  const become = asOrdinaryUser()
  if (!become) t.comment('both are of one user: this checkout is closed to others')
  const [one, two] = [start(t, [], 'one'), start(t, become ?? [], 'two')]
  t.match(await one.read(), { hostname: 'one', address: /^10\.88\.[12]\.1$/ })
  t.match(await two.read(), { hostname: 'two', address: /^10\.88\.[12]\.1$/ })
  one.end()
  two.end()
  t.same(await one.read(), { answeredBy: 'one' })
  t.same(await two.read(), { answeredBy: 'two' })
  t.same(await Promise.all([one.status, two.status]), [0, 0])
})

function start(t: Test, become: string[], name: string) {
  const [command = '', ...args] = [
    ...withPlainEnvironment(process.env),
    ...become,
    process.execPath,
    program,
    name,
  ]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    read: async () => JSON.parse((await lines.next()).value ?? '{}') as object,
    end: () => child.stdin.end(),
    status: once(child, 'exit').then(([code]) => code as number),
  }
}
