import t from 'tap'
import type { Event } from '../../annotator/events.ts'
import { podWrites } from '../../annotator/stamps.ts'
import { writePod } from '../../annotator/write-pod.ts'
import type { ApiRequest, Kube } from '../../lib/kube.ts'
import { pod } from '../fixtures/cluster-objects.ts'
import { deepFreeze } from '../fixtures/freeze.ts'

const zoneOfNode = new Map([['node-a', 'a']])
const labels = { 'zonefirst.io/enabled': 'true' }
const proxyLabels = { ...labels, 'zonefirst.io/role': 'proxy' }
const unstamped = { zone: undefined, zoneKey: undefined, serves: undefined }

t.test('stamps, and what is told of them', async (t) => {
  const rows = [
    { name: 'stamped right', pod: pod('w', 'a'), patched: false },
    { name: 'a backend pod', pod: pod('w', 'a', unstamped), patched: true },
    {
      name: 'a proxy that runs without a zone',
      pod: pod('w', 'a', { ...unstamped, labels: proxyLabels }),
      patched: true,
      told: 'stamped with zone a after its start: it has no ZONE until its container restarts',
    },
    {
      name: 'a proxy whose Node was in another zone',
      pod: pod('w', 'b', { nodeName: 'node-a', labels: proxyLabels }),
      patched: true,
      told: 'stamped with zone a after its start: it has the ZONE b until its container restarts',
    },
  ]
  for (const { name, patched, told, ...row } of rows) {
    const bodies: unknown[] = []
    const events: Event[] = []
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
    for (const write of podWrites(lone, 'home')) {
      await writePod(write, { kube, tell: (event) => events.push(event), onBackfill })
    }
    const annotations = { 'zonefirst.io/zone': 'a', 'zonefirst.io/zone-key': 'a' }
    const metadata = { uid: 'uid-w', annotations, labels: { 'zonefirst.io/serves': 'a' } }
    t.strictSame(bodies, patched ? [{ metadata }] : [], name)
    t.equal(backfilled, patched ? 1 : 0, `${name}: counted`)
    const regarding = { kind: 'Pod', namespace: 'shop', name: 'w', uid: 'uid-w' }
    const event = { regarding, type: 'Warning', reason: 'StampedLate', message: told }
    t.strictSame(events, told === undefined ? [] : [event], name)
  }
})
