// The annotator with ZONEFIRST_DRY_RUN, as a program against a real API server: it says what it would write, and writes nothing.
import '../cluster/enter.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import type { KubeObject } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { ingress, openShop, pod, service } from '../scenario/shop.ts'
import { snapshot } from '../scenario/snapshot.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())

interface Line {
  msg: string
  reason?: string
  write?: { method: string; path: string; body?: { metadata?: { annotations?: Record<string, string> } } }
}

t.test('what would be written is told, and nothing is', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), pod('web-b', 'node-b-1'), service('web'), ingress('web'))
  await cluster.until('both pods are ready', async () => (await shop.endpoints('web')).length === 2)
  const contents = async () => ({
    ...(await snapshot(cluster, shop.namespace)),
    pods: (await shop.pods('app=web')).map(({ metadata }) => [metadata?.labels, metadata?.annotations]),
  })
  const before = await contents()

  const annotator = spawn(process.execPath, ['annotator/main.ts'], {
    env: {
      ...process.env,
      ZONEFIRST_KUBECONFIG: cluster.kubeconfig,
      ZONEFIRST_DRY_RUN: 'true',
      ZONEFIRST_PROBES_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => annotator.kill('SIGKILL'))
  const seen: Line[] = []
  const writes = () => seen.flatMap(({ write }) => (write ? [write] : []))
  const annotated = () =>
    writes().find(({ body }) => body?.metadata?.annotations?.['backend.zonefirst.io/servers'])
  for await (const line of createInterface(annotator.stdout)) {
    seen.push(JSON.parse(line))
    if (annotated() && seen.some(({ msg }) => msg === 'would tell')) break
  }
  const path = `/api/v1/namespaces/${shop.namespace}`
  t.equal(annotated()?.path, `${path}/services/web`)
  const paths = new Set(writes().map(({ method, path }) => `${method} ${path}`))
  for (const name of ['services/web-in-a', 'services/web-in-b', 'pods/web-a', 'pods/web-b']) {
    t.ok(paths.has(`PATCH ${path}/${name}`), name)
  }
  t.match(
    seen.filter(({ msg }) => msg === 'would tell').map(({ reason }) => reason),
    ['ZoneFirst'],
  )
  annotator.kill('SIGTERM')
  t.strictSame(await once(annotator, 'exit'), [0, null])

  t.strictSame(await contents(), before)
  t.strictSame(await shop.events('web'), [])
  const leases = await cluster.kube.request<{ items: KubeObject[] }>({
    method: 'GET',
    path: '/apis/coordination.k8s.io/v1/leases',
  })
  t.notOk(leases.items.some(({ metadata }) => metadata.name === 'zonefirst-annotator'))
})
