import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { asOrdinaryUser, withPlainEnvironment } from './ordinary-user.ts'
import { prepare } from './prepare.ts'
import { until } from './until.ts'

const program = fileURLToPath(new URL('enter-fixture.ts', import.meta.url))

interface Facts {
  namespace: string
  user: number
  arguments: string[]
  options: string[]
  word: string
}

prepare(process.env)

t.test('the program runs inside as it was called, and its status is passed on', async (t) => {
  const child = start(t, ['exit', 'two words'])
  const facts = await read(child)
  const [code] = await once(child, 'exit')
  t.equal(code, 7)
  t.notSame(facts.namespace, readlinkSync('/proc/self/ns/pid'))
  t.match(facts, { user: 0, arguments: ['exit', 'two words'], word: 'from outside' })
  t.ok(facts.options.includes('--stack-trace-limit=5'), 'options of Node itself are kept')
})

t.test('an error inside is a failure outside', async (t) => {
  const child = start(t, ['throw'])
  await read(child)
  const [code] = await once(child, 'exit')
  t.equal(code, 1)
})

t.test('a machine that lacks something ends the program before it begins', async (t) => {
  const child = start(t, ['exit'], { HAPROXY: '/no/such/program' })
  const [said, complaint, [code]] = await Promise.all([
    text(child.stdout as Readable),
    text(child.stderr as Readable),
    once(child, 'exit'),
  ])
  t.equal(said, '')
  t.equal(
    complaint,
    'test cluster: HAPROXY names /no/such/program, which is no program: correct or unset it.\n',
  )
  t.equal(code, 1)
})

t.test('an inherited marker of other namespaces counts for nothing', async (t) => {
  const facts = await read(start(t, ['exit'], { TEST_CLUSTER_NAMESPACE: 'pid:[1]' }))
  t.notSame(facts.namespace, readlinkSync('/proc/self/ns/pid'))
})

for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
  t.test(`nothing is left after ${signal}`, async (t) => {
    const child = start(t, ['stay'])
    const { namespace } = await read(child)
    t.ok(processesIn(namespace).length >= 3, 'first process, program and what it started')
    child.kill(signal)
    const [, by] = await once(child, 'exit')
    t.equal(by, signal)
    await until('the namespace is empty', () => processesIn(namespace).length === 0)
  })
}

const become = asOrdinaryUser()
t.test('as an ordinary user', { skip: become ? false : 'this checkout is closed to others' }, async (t) => {
  const facts = await read(start(t, ['exit'], {}, become))
  t.match(facts, { user: 0, word: 'from outside' })
})

function start(
  t: Test,
  args: string[],
  env: Record<string, string> = {},
  become: string[] = [],
): ChildProcess {
  const [command = '', ...rest] = [
    ...withPlainEnvironment(process.env, { WORD: 'from outside', ...env }),
    ...[...become, process.execPath, '--stack-trace-limit=5', program, ...args],
  ]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

async function read(child: ChildProcess): Promise<Facts> {
  if (!child.stdout) throw new Error('the program has no standard output')
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as Facts
  throw new Error('the program said nothing')
}

/** Without those that are dead and only wait for the machine's first process to collect them. */
function processesIn(namespace: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid) || readlinkSync(`/proc/${pid}/ns/pid`) !== namespace) return false
      return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return false
    }
  })
}
