import t from 'tap'
import { isStampedRight, podWrites } from '../../../annotator/plan/stamps.ts'
import { input, pod } from '../../fixtures/cluster-objects.ts'

const zoneOfNode = new Map([
  ['node-a', 'a'],
  ['node-PHX-AD-1', 'PHX-AD-1'],
  ['node-new', undefined],
])
const unstamped = { zone: undefined, zoneKey: undefined, serves: undefined }

t.test('stamps that are missing', async (t) => {
  const rows = [
    { name: 'stamped right', pod: pod('w', 'a'), want: [] },
    { name: 'never stamped', pod: pod('w', 'a', unstamped), want: [{ zone: 'a', key: 'a' }] },
    {
      name: 'the API server copied annotations only',
      pod: pod('w', 'a', { serves: undefined }),
      want: [{ zone: 'a', key: 'a' }],
    },
    {
      name: 'a zone that is no DNS label',
      pod: pod('w', 'PHX-AD-1', unstamped),
      want: [{ zone: 'PHX-AD-1', key: 'phx-ad-1-ad6871' }],
    },
    {
      name: 'a node of another zone by now',
      pod: pod('w', 'b', { nodeName: 'node-a' }),
      want: [{ zone: 'a', key: 'a' }],
    },
    { name: 'not bound', pod: pod('w', 'a', { ...unstamped, nodeName: undefined }), want: [] },
    { name: 'on its way out', pod: pod('w', 'a', { ...unstamped, ended: true }), want: [] },
    { name: 'a node without a zone', pod: pod('w', 'new', unstamped), want: [] },
    { name: 'a node that is not known', pod: pod('w', 'z', unstamped), want: [] },
  ]
  for (const { name, want, ...row } of rows) {
    const found = podWrites(input({ pods: [row.pod], zoneOfNode }), 'home')
    t.strictSame(
      found.map(({ zone, zoneKey: key }) => ({ zone, key })),
      want,
      name,
    )
    for (const { zone, zoneKey, serves } of found) {
      const after = { ...row.pod, zone, zoneKey, serves }
      t.equal(isStampedRight(after, zoneOfNode), true, `${name}: right once stamped`)
      t.strictSame(
        podWrites(input({ pods: [after], zoneOfNode }), 'home'),
        [],
        `${name}: and nothing left to do`,
      )
    }
  }
})

t.test('a Node that lost its zone takes the stamps of its pods along', async (t) => {
  const nothing = { zone: undefined, zoneKey: undefined, serves: undefined }
  const rows = [
    { name: 'stamped', pod: pod('w', 'new'), want: [nothing] },
    { name: 'the label alone', pod: pod('w', 'new', { ...unstamped, serves: 'a' }), want: [nothing] },
    { name: 'no stamp', pod: pod('w', 'new', unstamped), want: [] },
    { name: 'on its way out', pod: pod('w', 'new', { ended: true }), want: [] },
    { name: 'a Node that is not known: it may come yet', pod: pod('w', 'z'), want: [] },
  ]
  for (const { name, want, ...row } of rows) {
    const found = podWrites(input({ pods: [row.pod], zoneOfNode }), 'today')
    t.strictSame(
      found.map(({ zone, zoneKey, serves }) => ({ zone, zoneKey, serves })),
      want,
      name,
    )
    t.equal(isStampedRight(row.pod, zoneOfNode), false, name)
  }
})

t.test('the zone that a pod serves', async (t) => {
  const lent = pod('w', 'a', { serves: 'b' })
  const gone = pod('w', 'a', { serves: undefined })
  const rows = [
    { name: 'home', pod: lent, serving: 'home', want: ['a'] },
    { name: 'as today', pod: lent, serving: 'today', want: [] },
    { name: 'as today, in an open zone', pod: gone, serving: 'today', want: [] },
    { name: 'as decided', pod: lent, serving: new Map([['w', undefined]]), want: [undefined] },
    { name: 'as decided, and so it is', pod: lent, serving: new Map([['w', 'b']]), want: [] },
    { name: 'nothing decided', pod: lent, serving: new Map(), want: ['a'] },
  ] as const
  for (const { name, serving, want, ...row } of rows) {
    const found = podWrites(input({ pods: [row.pod], zoneOfNode }), serving)
    t.strictSame(
      found.map(({ serves }) => serves),
      want,
      name,
    )
  }
  const beside = podWrites({ pods: [gone, pod('x', 'a')], zoneOfNode, sharedPods: new Set() }, 'today')
  t.match(beside, [{ pod: { name: 'w' }, serves: 'a' }], 'as today, in a zone that another pod serves')
  const ending = podWrites(
    { pods: [gone, pod('x', 'a', { ended: true })], zoneOfNode, sharedPods: new Set() },
    'today',
  )
  t.strictSame(ending, [], 'one on its way out serves no zone')
  for (const each of [lent, gone]) {
    const pods = [each, pod('x', 'a')]
    const shared = { pods, zoneOfNode, sharedPods: new Set(['w', 'x']) }
    for (const serving of ['home', 'today'] as const)
      t.strictSame(podWrites(shared, serving), [], `${serving}: a pod of another Service is left to that one`)
  }
})
