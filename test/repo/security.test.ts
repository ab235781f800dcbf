// Every test that docs/security.md names is there, and has the part that it quotes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../cluster/tools.ts'

const doc = readFileSync(join(root, 'docs/security.md'), 'utf8').replaceAll(/\n(?![\n|#])/g, ' ')

/** A test file, and the parts quoted behind it. */
const mentions = [...doc.matchAll(/`(test\/\S+\.test\.ts)`((?:(?:,| \([^)]*\),)? "[^"]+")*)/g)].map(
  ([, file = '', quoted = '']) => ({
    file,
    parts: [...quoted.matchAll(/"([^"]+)"/g)].map(([, part = '']) => part),
  }),
)
t.ok(mentions.length > 25, `${mentions.length} tests are named`)
for (const { file, parts } of mentions) {
  const text = readFileSync(join(root, file), 'utf8')
  for (const part of parts) t.ok(text.includes(part), `${file} has "${part}"`)
}
t.ok(mentions.flatMap(({ parts }) => parts).length > 25)

t.test(
  'every row of a table that says what stops something names a test, or says that nothing does',
  async (t) => {
    const rows = doc.split('\n').filter((line) => /^\| (?!tries|account|---)/.test(line))
    t.ok(rows.length > 20)
    for (const row of rows) t.match(row, /`test\/|nothing of zonefirst/, row.slice(0, 60))
  },
)
