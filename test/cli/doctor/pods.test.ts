import t from 'tap'
import { rawPod } from '../../fixtures/inspection.ts'
import { eachIsFoundAlone, type PlantedFault } from '../../fixtures/planted-faults.ts'

const rows: PlantedFault[] = [
  {
    fault: 'a Node has no zone',
    plant: ({ snapshot }) => {
      snapshot.nodes.push({ metadata: { name: 'node-new', labels: {} } })
    },
    want: 'node-without-zone',
    problem: /have no zone label/,
  },
  {
    fault: 'a pod has no stamp, and serves behind another Service',
    plant: ({ snapshot }) => {
      const pod = rawPod('bare-1', 'a', { annotations: {} })
      snapshot.pods.push({
        ...pod,
        metadata: { ...pod.metadata, labels: { app: 'bare', 'zonefirst.io/enabled': 'true' } },
      })
      const kept = {
        name: 'bare',
        namespace: 'shop',
        uid: 'uid-bare',
        labels: { 'zonefirst.io/enabled': 'false' },
      }
      snapshot.services.push({ metadata: kept, spec: { selector: { app: 'bare' } } })
    },
    want: 'pods-unstamped',
  },
  {
    fault: 'a pod’s stamp is not its Node’s zone',
    plant: ({ snapshot }) => {
      const proxy = snapshot.pods[2]
      proxy.metadata.annotations = { 'zonefirst.io/zone': 'b', 'zonefirst.io/zone-key': 'b' }
    },
    want: 'stamp-differs',
  },
  {
    fault: 'opted-in pods that no Service selects',
    plant: ({ snapshot }) => {
      const labels = { app: 'lonely', 'zonefirst.io/enabled': 'true', 'zonefirst.io/serves': 'a' }
      snapshot.pods.push(rawPod('lonely', 'a', { labels }))
    },
    want: 'pods-without-service',
  },
]

t.test('faults of pods and Nodes', async (t) => eachIsFoundAlone(t, rows))
