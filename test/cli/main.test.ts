// The program as people start it, by whatever Node is the machine's.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '../..')
const { version, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

function start(...args: string[]): Promise<{ code: unknown; out: string; error: string }> {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent' }
  return new Promise((resolve) => {
    execFile(join(root, bin.zonefirst), args, { env, cwd: '/' }, (failure, out, error) =>
      resolve({ code: failure?.code ?? 0, out, error }),
    )
  })
}

t.test('results, problems and exit codes', async (t) => {
  t.strictSame(await start('--version'), { code: 0, out: `${version}\n`, error: '' })
  t.match(await start('help'), { code: 0, out: /^Usage: zonefirst <command>/m, error: '' })
  t.match(await start('status', '--output=yaml'), { code: 2, out: '', error: /^--output is "yaml"/ })
  t.match(await start('status'), { code: 3, out: '', error: /^There is no kubeconfig/ })
  t.equal(bin['kubectl-zonefirst'], bin.zonefirst, 'kubectl finds it as a plugin')
})

t.test('a result that nobody takes', async (t) => {
  const program = join(root, bin.zonefirst)
  const early = spawn(program, ['help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  early.stdout.destroy()
  const [said, [code]] = await Promise.all([early.stderr.toArray(), once(early, 'exit')])
  t.strictSame([code, said.join('')], [0, ''], 'head has seen enough')
  const full = spawn(program, ['help'], { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] })
  const [told, [failed]] = await Promise.all([full.stderr?.toArray(), once(full, 'exit')])
  t.equal(failed, 2)
  t.match(told?.join(''), /^The result can’t be written: ENOSPC[^\n]*\n$/, 'a disk that is full')
})
