import t from 'tap'
import { zonesOf } from '../../../annotator/plan/input.ts'

t.test('zones of Nodes: each once, by key, and none for Nodes without a zone', async (t) => {
  const zones = zonesOf(['rack-b', undefined, 'Rack_A', 'rack-b', 'a', undefined])
  t.strictSame(zones, [
    { zone: 'a', key: 'a' },
    { zone: 'Rack_A', key: 'rack-a-573828' },
    { zone: 'rack-b', key: 'rack-b' },
  ])
  t.strictSame(zonesOf([undefined]), [])
})
