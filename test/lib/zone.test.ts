import fc from 'fast-check'
import t from 'tap'
import { zoneKey, zoneKeyMaxLength, zoneOf } from '../../lib/zone.ts'
import { deepFreeze } from '../fixtures/freeze.ts'

t.test('golden keys: they name Services, so they never change', async (t) => {
  const rows = {
    'eu-west-1a': 'eu-west-1a',
    'europe-west4-a': 'europe-west4-a',
    'fsn1-dc14': 'fsn1-dc14',
    'twenty-four-characters-z': 'twenty-four-characters-z',
    '0': '0',
    '1': '1',
    true: 'true',
    null: 'null',
    '1e3': '1e3',
    'PHX-AD-1': 'phx-ad-1-ad6871',
    rack_a: 'rack-a-7bf9d3',
    'rack-a': 'rack-a',
    Rack_A: 'rack-a-573828',
    'dc.1': 'dc-1-9815f9',
    'Default-Group': 'default-group-14c276',
    '-leading': 'leading-58a376',
    'trailing-': 'trailing-b520d7',
    'twenty-five-characters-zz': 'twenty-five-chara-ed7b56',
    'cut--------------right-at-a-dash': 'cut-412202',
    [`${'long-'.repeat(12)}end`]: 'long-long-long-lo-e4855d',
    ___: 'z-bda251',
    zürich: 'z-rich-201f10',
    'rack-a-7bf9d3': 'rack-a-7bf9d3-fa470b',
    'z-bda251': 'z-bda251-0143d6',
    'zone-abcdefg': 'zone-abcdefg',
  }
  for (const [zone, key] of Object.entries(rows)) t.equal(zoneKey(zone), key, zone)
})

const isDnsLabel = (text: string) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text)
// mostly zones as people name them, some of anything
const zones = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/),
  fc.string({ minLength: 1, maxLength: 63 }),
)

t.test('any zone has a key that is a DNS label', async (t) => {
  const property = fc.property(zones, (zone) => {
    const key = zoneKey(zone)
    return isDnsLabel(key) && key.length <= zoneKeyMaxLength
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2_000 }))
})

t.test('a zone that is named like another one’s key has a key of its own', async (t) => {
  const property = fc.property(
    zones,
    (zone) => zoneKey(zone) === zone || zoneKey(zoneKey(zone)) !== zoneKey(zone),
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2_000 }))
})

t.test('distinct zones have distinct keys', async (t) => {
  // near misses: the same letters in another case or with another separator
  const twist = (zone: string, by: number) =>
    [zone.toUpperCase(), zone.replaceAll('-', '_'), zone.replaceAll(/[_.]/g, '-'), `${zone}-`][by % 4] ?? zone
  const property = fc.property(zones, fc.nat(), (zone, by) => {
    const other = twist(zone, by)
    return other === zone || zoneKey(other) !== zoneKey(zone)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2_000 }))
})

t.test('which label is the zone', async (t) => {
  const [zone, beta] = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone']
  const rows = [
    { name: 'no labels', labels: undefined, want: undefined },
    { name: 'none of ours', labels: { 'topology.kubernetes.io/region': 'eu' }, want: undefined },
    { name: 'the present one', labels: { [zone]: 'a', [beta]: 'b' }, want: 'a' },
    { name: 'the older one', labels: { [beta]: 'b' }, want: 'b' },
    { name: 'an empty one counts as none', labels: { [zone]: '', [beta]: 'b' }, want: 'b' },
    { name: 'as it stands', labels: { [zone]: 'Rack_A' }, want: 'Rack_A' },
  ]
  for (const { name, labels, want } of rows) t.equal(zoneOf(deepFreeze(labels)), want, name)
})
