// The chart's objects for prometheus-operator under its own definitions, on a real API server.
import '../cluster/enter-with-prometheus-operator.ts'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { definePrometheusObjects } from '../cluster/prometheus-operator.ts'
import { objectsFor } from '../manifests/chart.ts'
import { systemNamespace } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())
await definePrometheusObjects(cluster)
await cluster.kubectl('create', 'namespace', systemNamespace)

const labels = { release: 'prometheus' }
const metrics = {
  podMonitor: { enabled: true, labels, interval: '1m' },
  serviceMonitor: { enabled: true, labels },
  prometheusRule: { enabled: true, labels },
}
const objects = objectsFor({ metrics }).filter(({ apiVersion }) => apiVersion === 'monitoring.coreos.com/v1')

const kindOf = ({ kind }: { kind: string }) => kind
const apply = (object: object) =>
  cluster.kubectlWithInput(JSON.stringify(object), 'apply', '--validate=strict', '--server-side', '-f', '-')

t.test('they are taken, and kept whole', async (t) => {
  t.strictSame(objects.map(kindOf), ['PodMonitor', 'PrometheusRule', 'ServiceMonitor'])
  for (const object of objects) {
    await t.resolves(apply(object), object.kind)
    const plural = `${object.kind.toLowerCase()}s`
    const path = `/apis/monitoring.coreos.com/v1/namespaces/${systemNamespace}/${plural}/zonefirst`
    const kept = await cluster.kube.request<{ spec: object }>({ method: 'GET', path })
    t.strictSame(kept.spec, object.spec, object.kind)
  }
})

t.test('a field that does not exist is refused, and a value that is none', async (t) => {
  for (const object of objects) {
    const wrong = { ...object, spec: { ...object.spec, unknownField: 1 } }
    await t.rejects(apply(wrong), { message: /unknownField/ }, object.kind)
  }
  const [podMonitor] = objects
  const endpoint = { ...podMonitor?.spec.podMetricsEndpoints[0], interval: 'often' }
  const wrong = { ...podMonitor, spec: { ...podMonitor?.spec, podMetricsEndpoints: [endpoint] } }
  await t.rejects(apply(wrong), { message: /interval/ })
})
