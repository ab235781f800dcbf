import fc from 'fast-check'
import t from 'tap'
import { hashedPrefix, primaryOfName, readablePrefix, zonalName } from '../../../annotator/plan/zonal-name.ts'
import { zoneKey } from '../../../lib/zone.ts'

t.test('readable prefixes', async (t) => {
  t.equal(readablePrefix('web'), 'web-in')
  t.equal(
    readablePrefix('x'.repeat(35)),
    `${'x'.repeat(35)}-in`,
    'the longest that leaves room for a zone key',
  )
  t.equal(readablePrefix('x'.repeat(36)), undefined, 'one character more')
  t.equal(readablePrefix('web-in'), undefined, 'web-in and zone a would be web and zone in-a')
  t.equal(readablePrefix('drop-in-ui'), undefined, 'could be zone ui of drop')
})

t.test('names that always fit and never meet', async () => {
  const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/)
  const words = fc.constantFrom('web', 'in', 'a', 'b', 'in-a', 'a-in')
  const name = fc.oneof(
    label,
    fc.array(words, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('-')),
  )
  const zone = fc.oneof(fc.string({ minLength: 1 }), words)
  fc.assert(
    fc.property(name, zone, name, zone, (name1, zone1, name2, zone2) => {
      const made = [
        [name1, zone1],
        [name2, zone2],
      ].map(([service = '', where = '']) =>
        zonalName(readablePrefix(service) ?? hashedPrefix('shop', service), zoneKey(where)),
      )
      const isLabel = made.every((each) => /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(each))
      return isLabel && (name1 === name2 || made[0] !== made[1])
    }),
    { numRuns: 10_000 },
  )
})

t.test('what a name tells', async (t) => {
  t.equal(primaryOfName('web-in-eu-1a'), 'web')
  t.equal(primaryOfName('web-in-in-a'), 'web', 'up to the first -in-')
  t.equal(primaryOfName('web'), undefined)
  t.equal(primaryOfName('-in-a'), undefined)
  t.not(hashedPrefix('shop', 'web'), hashedPrefix('shop2', 'web'))
  t.match(hashedPrefix('shop', 'web'), /^zf-[0-9a-f]{10}$/)
})
