// docs/cli.md names every command and option, docs/troubleshooting.md every check and every reason of the webhook's.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commands } from '../../cli/command-line.ts'
import { checkNames } from '../../cli/doctor/finding.ts'
import { exitCodes } from '../../cli/problem.ts'
import { reasons } from '../../webhook/reasons.ts'

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')

t.test('docs/cli.md', async (t) => {
  const text = page('cli.md')
  for (const [name, { options }] of Object.entries(commands)) {
    t.match(text, `| \`${name}\` |`, name)
    for (const option of Object.keys(options))
      t.match(text, new RegExp(`--${option}\\b`), `${name} --${option}`)
  }
  const codes = [...text.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]))
  t.strictSame(codes, Object.values(exitCodes))
})

t.test('docs/troubleshooting.md', async (t) => {
  const text = page('troubleshooting.md')
  const checks = [...text.matchAll(/^\| ([a-z]+(?:-[a-z]+)*) \|/gm)].map((match) => match[1])
  t.strictSame(
    checks.filter((word) => word !== 'check' && word !== 'reason'),
    [...checkNames],
    'a row for each check, in its order',
  )
  const rows = [...text.matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|/gm)]
  const words = rows.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '))
  t.strictSame(words.sort(), Object.keys(reasons).sort())
})
