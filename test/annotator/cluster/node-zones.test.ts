import t from 'tap'
import { NodeZones } from '../../../annotator/cluster/node-zones.ts'

t.test('Nodes come, move and go', async (t) => {
  const nodes = new NodeZones()
  const node = (name: string, zone?: string) => ({ name, zone })
  const keys = () => nodes.all.map(({ key }) => key)
  t.strictSame(nodes.note(node('1', 'b'), undefined), { node: true, zones: true })
  t.strictSame(nodes.note(node('2', 'b'), undefined), { node: true, zones: false }, 'one more in its zone')
  t.strictSame(nodes.note(node('3', 'a'), undefined), { node: true, zones: true })
  t.strictSame(
    nodes.note(node('3', 'a'), node('3', 'a')),
    { node: false, zones: false },
    'something else of it',
  )
  t.strictSame(keys(), ['a', 'b'])
  t.strictSame(nodes.note(node('3', 'Rack_A'), node('3', 'a')), { node: true, zones: true })
  t.strictSame(keys(), ['b', 'rack-a-573828'])
  t.strictSame(nodes.note(node('3'), node('3', 'Rack_A')), { node: true, zones: true })
  t.strictSame([nodes.ofNode.has('3'), nodes.ofNode.get('3')], [true, undefined], 'known, and without a zone')
  t.strictSame(nodes.note(undefined, node('2', 'b')), { node: true, zones: false })
  t.strictSame(nodes.note(undefined, node('1', 'b')), { node: true, zones: true })
  t.strictSame([keys(), [...nodes.ofNode.keys()]], [[], ['3']])
})
