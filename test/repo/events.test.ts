// docs/events.md explains every word that people meet in Events; that none is missing here, the type checker sees.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { AdviceReason } from '../../annotator/plan/advice.ts'
import type { ProxyReason } from '../../annotator/plan/proxy-faults.ts'
import { reasons } from '../../annotator/plan/reasons.ts'

const advice: Record<AdviceReason, true> = { AnswerTooLarge: true, TooFewSlots: true, MaxconnDivided: true }
const proxies: Record<ProxyReason, true> = {
  NotTrusted: true,
  NotPrepared: true,
  NodeDNS: true,
  NoZone: true,
  StampedLate: true,
  ConfigMapUnread: true,
}
const others = ['ZoneFirst', 'ZoneFirstOff', 'ZonesRebalanced', 'WithoutEffect']

t.test('each reason has its row', async (t) => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/events.md'), 'utf8')
  const rows = [...text.matchAll(/^\| ([A-Z]\w+(?:, [A-Z]\w+)*) \|/gm)].flatMap(([, words = '']) =>
    words.split(', '),
  )
  const all = [...reasons, ...Object.keys(advice), ...Object.keys(proxies), ...others]
  t.strictSame(rows.filter((word) => !['Event'].includes(word)).sort(), all.sort())
})
