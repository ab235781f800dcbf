import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { conditions, delayOf, retries, silent, whole } from '../../bench/dns/loss.ts'
import { sectionOf, titleOf } from '../../bench/dns/settings.ts'
import { randomFrom } from '../../bench/load-guard/random.ts'
import { root } from '../cluster/tools.ts'
import { auxiliaryText } from '../haproxy/configuration.ts'

t.test('as many questions are lost as the condition says, the same ones for the same seed', async (t) => {
  const lost = (loss: number, seed: number) => {
    const random = randomFrom(seed)
    const indexes = Array.from({ length: 2_000 }, (_, index) => index)
    return indexes.filter(() => delayOf({ ...whole, loss }, random) === undefined)
  }
  for (const loss of [0.1, 0.3, 0.6]) {
    const share = lost(loss, 1).length / 2_000
    t.ok(Math.abs(share - loss) < 0.05, `${share} of ${loss}`)
  }
  t.same(lost(0.3, 1), lost(0.3, 1))
  t.not(lost(0.3, 1).join(), lost(0.3, 2).join(), 'others for another seed')
  t.equal(lost(whole.loss, 1).length, 0)
  t.equal(lost(silent.loss, 1).length, 2_000)
})

t.test('answers that come are as late as the condition says', async (t) => {
  t.equal(
    delayOf({ ...whole, delayMs: 300 }, () => 0.5),
    300,
  )
})

t.test('every condition and every setting is another, the installed section first', async (t) => {
  t.equal(new Set(conditions.map(({ title }) => title)).size, conditions.length)
  const sections = retries.map((variant) => sectionOf(variant, auxiliaryText, '127.0.0.1:53'))
  t.equal(new Set(sections).size, retries.length)
  t.equal(titleOf(retries[0] ?? { changes: {} }), 'as installed')
})

t.test('the page has a row for every setting, and what it calls installed is', async (t) => {
  const page = readFileSync(join(root, 'docs/dns.md'), 'utf8')
  const rows = retries.map((variant) => {
    const section = sectionOf(variant, auxiliaryText, '127.0.0.1:53')
    const retry = /timeout retry (\S+)/.exec(section)?.[1]
    return `${retry} × ${/resolve_retries (\d+)/.exec(section)?.[1] ?? 3}`
  })
  for (const [index, row] of rows.entries()) {
    t.match(page, `\n| ${index === 0 ? `**${row}, as installed**` : row} |`)
  }
  const settings = auxiliaryText.match(/(?:timeout|hold) .+/g) ?? []
  t.equal(settings.length, 5)
  t.match(page, `\n| as installed: ${settings.map((line) => `\`${line}\``).join(', ')} |`)
})
