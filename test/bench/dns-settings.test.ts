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

t.test('values are replaced, left out for the default, or added', async (t) => {
  const changes = { 'timeout resolve': '2s', 'hold nx': '' }
  const lines = sectionOf({ changes }, auxiliaryText, address).split('\n')
  t.ok(lines.includes('  timeout resolve 2s'))
  t.notOk(lines.some((line) => line.includes('hold nx')))
  t.match(
    sectionOf({ changes: { resolve_retries: '1' } }, auxiliaryText, address),
    /\n {2}resolve_retries 1\n$/,
  )
})

t.test('every one is another', async (t) => {
  t.equal(new Set(variants.map(titleOf)).size, variants.length)
  const sections = variants.map((variant) => sectionOf(variant, auxiliaryText, address))
  t.equal(new Set(sections).size, variants.length)
})
