import t from 'tap'
import { Index } from '../../../annotator/objects/object-index.ts'

interface Thing {
  name: string
  groups: string[]
}
const thing = (name: string, ...groups: string[]): Thing => ({ name, groups })

t.test('an object is found in its groups, as it is now', async (t) => {
  const index = new Index<Thing>(
    ({ groups }) => groups,
    ({ name }) => name,
  )
  const names = (group: string) => [...index.get(group).keys()]
  const before = thing('a', 'x', 'y')
  index.replace(before, undefined)
  index.replace(thing('b', 'x'), undefined)
  t.strictSame(names('x'), ['a', 'b'])
  const now = thing('a', 'y', 'z')
  index.replace(now, before)
  t.strictSame(names('x'), ['b'])
  t.equal(index.get('y').get('a'), now)
  t.strictSame([...index.groups()].sort(), ['x', 'y', 'z'])
  index.replace(undefined, now)
  t.strictSame([...index.groups()], ['x'], 'a group without members is gone')
  t.strictSame(names('never'), [])
})
