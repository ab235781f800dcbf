import t from 'tap'
import { podWrites } from '../../../annotator/plan/stamps.ts'
import { writePod } from '../../../annotator/write/write-pod.ts'
import type { ApiRequest, Kube } from '../../../lib/kube.ts'
import { pod } from '../../fixtures/cluster-objects.ts'
import { deepFreeze } from '../../fixtures/freeze.ts'

const zoneOfNode = new Map([
  ['node-a', 'a'],
  ['node-b', undefined],
])
const unstamped = { zone: undefined, zoneKey: undefined, serves: undefined }
const metadata = (zone: string | null) => ({
  uid: 'uid-w',
  annotations: { 'zonefirst.io/zone': zone, 'zonefirst.io/zone-key': zone },
  labels: { 'zonefirst.io/serves': zone },
})

t.test('stamps, and which of them count as missed by the webhook', async (t) => {
  const rows = [
    { name: 'stamped right', pod: pod('w', 'a'), want: [], missed: 0 },
    { name: 'no stamp', pod: pod('w', 'a', unstamped), want: [metadata('a')], missed: 1 },
    {
      name: 'the label alone is missing',
      pod: pod('w', 'a', { serves: undefined }),
      want: [metadata('a')],
      missed: 0,
    },
    {
      name: 'another zone by now',
      pod: pod('w', 'c', { nodeName: 'node-a' }),
      want: [metadata('a')],
      missed: 1,
    },
    { name: 'no zone any more', pod: pod('w', 'b'), want: [metadata(null)], missed: 0 },
  ]
  for (const { name, want, missed, ...row } of rows) {
    const bodies: unknown[] = []
    let backfilled = 0
    const onBackfill = () => {
      backfilled += 1
    }
    const kube = {
      async request({ path, body }: ApiRequest) {
        t.equal(path, '/api/v1/namespaces/shop/pods/w', name)
        bodies.push(body)
      },
    } as unknown as Kube
    const lone = { pods: [deepFreeze(row.pod)], zoneOfNode, sharedPods: new Set<string>() }
    for (const write of podWrites(lone, 'home')) await writePod(write, { kube, onBackfill })
    t.strictSame(
      bodies,
      want.map((metadata) => ({ metadata })),
      name,
    )
    t.equal(backfilled, missed, `${name}: counted`)
  }
})
