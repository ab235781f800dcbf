import t from 'tap'
import { quoted } from '../../../annotator/plan/quoted.ts'

t.test('what people can read stays, cut', async (t) => {
  const rows: [string, string][] = [
    ['hdr(x-user)', 'hdr(x-user)'],
    ['stick on src # für später', 'stick on src # für später'],
    ['a\nb\r\nc\td', 'a b c d'],
    ['\u001b[2J\u001b]0;title\u0007x', '[2J ]0;title x'],
    ['a\u202eb\u2066c\u200bd\u2028e', 'a b c d e'],
    ['\u0000\u009f', ''],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(80)}…`],
  ]
  for (const [text, want] of rows) t.equal(quoted(text), want, want.slice(0, 40))
})
