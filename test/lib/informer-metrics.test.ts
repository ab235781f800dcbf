import { Registry } from 'prom-client'
import t from 'tap'
import { registerInformerMetrics } from '../../lib/informer-metrics.ts'

t.test('each informer’s size, and when it last heard', async (t) => {
  const registry = new Registry()
  const pods = { size: 2, lastHeard: 1_700_000_000_500 }
  registerInformerMetrics(registry, { pods, nodes: { size: 0, lastHeard: 0 } })
  const text = await registry.metrics()
  t.match(text, 'zonefirst_informer_objects{informer="pods"} 2\n')
  t.match(text, 'zonefirst_informer_objects{informer="nodes"} 0\n')
  t.match(text, 'zonefirst_informer_last_heard_timestamp_seconds{informer="pods"} 1700000000.5\n')
  pods.size = 3
  t.match(await registry.metrics(), 'zonefirst_informer_objects{informer="pods"} 3\n')
})
