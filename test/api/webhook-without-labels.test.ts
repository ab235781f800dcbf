// An API server that drops the labels of Bindings, as versions before 1.35 do: annotations are all that is copied, and
// the zone has to come from the Node.
import '../cluster/enter.ts'
import t from 'tap'
import { bind, createPod, inZoneA, podOf, stampOf, startWebhookCluster } from '../scenario/webhook-cluster.ts'

const cluster = await startWebhookCluster({
  zones: ['a'],
  featureGates: { PodTopologyLabelsAdmission: false },
})
t.teardown(() => cluster.stop())

t.test('a binding gives the annotations alone', async (t) => {
  const pod = await createPod(cluster, podOf({ name: 'web-1' }))
  const bound = await bind(cluster, pod)
  t.equal(bound.metadata?.labels?.['topology.kubernetes.io/zone'], undefined, 'the gate is off')
  t.strictSame(stampOf(bound), { zone: 'a', key: 'a', serves: undefined })
})

t.test('a pod created on a node has the label too, since there it is on the pod itself', async (t) => {
  const pod = await createPod(cluster, podOf({ name: 'web-2' }, { nodeName: 'node-a-1' }))
  t.strictSame(stampOf(pod), inZoneA)
})
