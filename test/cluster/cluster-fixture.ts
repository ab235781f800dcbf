// A program with a cluster of its own, for side-by-side.test.ts: says who answers in it, and ends when its input does.
import './enter.ts'
import { text } from 'node:stream/consumers'
import type { V1Pod } from '@kubernetes/client-node'
import { startCluster } from './cluster.ts'
import { pod } from './objects.ts'

const name = process.argv[2] ?? ''
const cluster = await startCluster({ zones: ['a', 'b'] })
await cluster.apply(
  pod(name, {
    command: ['node', 'test/cluster/app.ts'],
    env: [{ name: 'POD', value: name }],
    readinessProbe: { httpGet: { port: 8080 } },
  }),
)
const { status } = await cluster.until('the pod is ready', async () => {
  const path = `/api/v1/namespaces/default/pods/${name}`
  const found = await cluster.kube.request<V1Pod>({ method: 'GET', path })
  return found.status?.containerStatuses?.[0]?.ready && found
})
const hostname = await cluster.kubelet.exec(pod(name, {}), ['hostname'])
console.log(JSON.stringify({ address: status?.podIP, hostname: hostname.trim() }))
await text(process.stdin)
const answer = await fetch(`http://${status?.podIP}:8080/`)
console.log(JSON.stringify({ answeredBy: answer.headers.get('x-pod') }))
await cluster.stop()
