import t from 'tap'
import { sectionOf, titleOf, type Variant, variants } from '../../bench/dns/settings.ts'
import { auxiliaryText } from '../haproxy/configuration.ts'

const address = '10.96.0.10:53'

t.test('the first is the installed section, with the server that is asked', async (t) => {
  const [first] = variants
  t.equal(
    sectionOf(first as Variant, auxiliaryText, address),
    auxiliaryText.replace('parse-resolv-conf', `nameserver dns ${address}`),
  )
})

t.test('values are replaced, and left out for the default', async (t) => {
  const changes = { 'timeout resolve': '2s', 'hold nx': '' }
  const lines = sectionOf({ changes }, auxiliaryText, address).split('\n')
  t.ok(lines.includes('  timeout resolve 2s'))
  t.notOk(lines.some((line) => line.includes('hold nx')))
  t.throws(() => sectionOf({ changes: { 'hold other': '1s' } }, auxiliaryText, address), /has no hold other/)
})

t.test('every one is another, and can be made of the installed one', async (t) => {
  t.equal(new Set(variants.map(titleOf)).size, variants.length)
  for (const variant of variants) sectionOf(variant, auxiliaryText, address)
})
