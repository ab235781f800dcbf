import t from 'tap'
import { isStampedRight, missingStamps } from '../../annotator/stamps.ts'
import { pod } from '../fixtures/cluster-objects.ts'
import { deepFreeze } from '../fixtures/freeze.ts'

const zoneOfNode = new Map([
  ['node-a', 'a'],
  ['node-PHX-AD-1', 'PHX-AD-1'],
  ['node-new', undefined],
])
const unstamped = { zone: undefined, zoneKey: undefined, serves: undefined }
const proxyLabels = { 'zonefirst.io/role': 'proxy' }

t.test('stamps that are missing', async (t) => {
  const rows = [
    { name: 'stamped right', pod: pod('w', 'a'), want: [] },
    { name: 'never stamped', pod: pod('w', 'a', unstamped), want: [{ zone: 'a', key: 'a', late: false }] },
    {
      name: 'the API server copied annotations only',
      pod: pod('w', 'a', { serves: undefined }),
      want: [{ zone: 'a', key: 'a', late: false }],
    },
    {
      name: 'a zone that is no DNS label',
      pod: pod('w', 'PHX-AD-1', unstamped),
      want: [{ zone: 'PHX-AD-1', key: 'phx-ad-1-ad6871', late: false }],
    },
    {
      name: 'a node of another zone by now',
      pod: pod('w', 'b', { nodeName: 'node-a' }),
      want: [{ zone: 'a', key: 'a', late: false }],
    },
    { name: 'not bound', pod: pod('w', 'a', { ...unstamped, nodeName: undefined }), want: [] },
    { name: 'on its way out', pod: pod('w', 'a', { ...unstamped, ended: true }), want: [] },
    { name: 'a node without a zone', pod: pod('w', 'new', unstamped), want: [] },
    { name: 'a node that is not known', pod: pod('w', 'z', unstamped), want: [] },
    {
      name: 'a proxy runs without a zone until it restarts',
      pod: pod('w', 'a', { ...unstamped, labels: proxyLabels }),
      want: [{ zone: 'a', key: 'a', late: true }],
    },
    {
      name: 'a proxy that lacks the label alone has its zone',
      pod: pod('w', 'a', { serves: undefined, labels: proxyLabels }),
      want: [{ zone: 'a', key: 'a', late: false }],
    },
  ]
  for (const { name, want, ...row } of rows) {
    const found = missingStamps([deepFreeze(row.pod)], zoneOfNode)
    t.strictSame(
      found.map(({ zone, key, late }) => ({ zone, key, late })),
      want,
      name,
    )
    for (const { zone, key } of found) {
      const after = { ...row.pod, zone, zoneKey: key, serves: key }
      t.equal(isStampedRight(after, zoneOfNode), true, `${name}: right once stamped`)
    }
  }
})
