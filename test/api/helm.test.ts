// The whole life of an installation, with a real cert-manager and a namespace that enforces the restricted Pod Security
// level: by Helm, by kubectl and by kustomize, from an empty cluster to a stamped pod and back to an empty cluster.
import '../cluster/enter-with-helm.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Pod } from '@kubernetes/client-node'
import t, { type Test } from 'tap'
import { startCertManager } from '../cluster/cert-manager.ts'
import { startCluster } from '../cluster/cluster.ts'
import { runCommand } from '../cluster/command.ts'
import { findPromtool, withoutPromtool } from '../cluster/promtool.ts'
import { bundlesOf } from '../scenario/certificates.ts'
import { helmVersion, release, replaceEveryPod, helm as runHelm } from '../scenario/helm.ts'
import { namedZonefirst } from '../scenario/snapshot.ts'
import {
  bind,
  createPod,
  createShop,
  podOf,
  stampOf,
  unstamped,
  untilServing,
} from '../scenario/webhook-cluster.ts'
import { systemNamespace } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
t.comment(`Helm ${await helmVersion(cluster)}`)
await startCertManager(cluster)
await createShop(cluster)
const { kubectl } = cluster
const helm = (...args: string[]) => runHelm(cluster, ...args)
const restricted = 'pod-security.kubernetes.io/enforce=restricted'
const generation = '{.kind} {.metadata.name} {.metadata.generation}{" "}'
let count = 0

t.test('helm install: all of it starts under the restricted level, and a pod is stamped', async (t) => {
  await kubectl('create', 'namespace', systemNamespace)
  await kubectl('label', 'namespace', systemNamespace, restricted)
  await helm('install', ...release)
  await untilServing(cluster)
  t.strictSame(await stampOfNewPod(), { zone: 'a', key: 'a', serves: 'a' })
  const names = await kubectl('-n', systemNamespace, 'get', 'deployments', '-o', 'name')
  t.strictSame(names.trim().split('\n'), [
    'deployment.apps/zonefirst-annotator',
    'deployment.apps/zonefirst-webhook',
  ])
})

t.test('helm upgrade that replaces every pod, under load: none is left without a stamp', async (t) => {
  const [bundles, before] = [await bundlesOf(cluster), await podNames()]
  const load = startDryRuns()
  await helm('upgrade', ...release, ...replaceEveryPod)
  await cluster.until('all pods are others', async () => {
    const now = await podNames()
    return now.length === 4 && now.every((name) => !before.includes(name))
  })
  const { asked, failures } = await load.stop()
  t.strictSame(failures, [])
  t.ok(asked > 20, `${asked} pods were reviewed meanwhile`)
  t.strictSame(await bundlesOf(cluster), bundles, 'nothing of cert-manager’s is undone')
})

t.test('helm upgrade to the same: no pod is replaced', async (t) => {
  const before = await podNames()
  await helm('upgrade', ...release, '--reuse-values')
  t.strictSame(await podNames(), before)
})

const promtool = findPromtool(process.env)
t.test('metrics by the conventions of Prometheus', { skip: !promtool && withoutPromtool }, async (t) => {
  const path = `/api/v1/namespaces/${systemNamespace}/pods`
  const { items } = await cluster.kube.request<{ items: V1Pod[] }>({ method: 'GET', path })
  t.equal(items.length, 4)
  for (const { metadata, status } of items) {
    const text = await (await fetch(`http://${status?.podIP}:8080/metrics`)).text()
    // those of Node.js are named alike in all of its programs, three of them against the conventions
    const input = text.replaceAll(/^.*\bnodejs_.*\n/gm, '')
    t.match(input, /^zonefirst_/m, metadata?.name ?? '')
    await t.resolves(runCommand([promtool ?? '', 'check', 'metrics'], { input }), metadata?.name ?? '')
  }
})

t.test('helm uninstall: with the namespace, nothing is left', async (t) => {
  await helm('uninstall', 'zonefirst', '--wait')
  await noTraceIsLeft(t)
})

for (const { name, flags } of [
  { name: 'kubectl', flags: ['-f', 'manifests/install.yaml'] },
  { name: 'kustomize', flags: ['-k', 'manifests'] },
]) {
  t.test(`${name}: apply, apply again, delete`, async (t) => {
    await kubectl('apply', ...flags)
    await untilServing(cluster)
    t.equal((await stampOfNewPod()).zone, 'a')
    // kubectl says "configured" of all that has a status: generations tell
    const generations = () => kubectl('get', ...flags, '-o', `jsonpath={range .items[*]}${generation}{end}`)
    const [bundles, before] = [await bundlesOf(cluster), await generations()]
    await kubectl('apply', ...flags)
    t.equal(await generations(), before)
    t.strictSame(await bundlesOf(cluster), bundles)
    await kubectl('delete', '--wait', ...flags)
    await noTraceIsLeft(t)
  })
}

async function stampOfNewPod() {
  const pod = await createPod(cluster, podOf({ name: `web-${++count}` }))
  return stampOf(await bind(cluster, pod))
}

async function podNames(): Promise<string[]> {
  const names = await kubectl(
    '-n',
    systemNamespace,
    'get',
    'pods',
    '--field-selector=status.phase=Running',
    '-o',
    'name',
  )
  return names.trim().split('\n').sort()
}

/** Pods on a node, one after the other, each of which the API server has to ask the webhook about. */
function startDryRuns() {
  const counts = { asked: 0, failures: [] as string[] }
  let isStopping = false
  const running = (async () => {
    while (!isStopping) {
      counts.asked += 1
      const pod = podOf({ name: 'on-a-node' }, { nodeName: 'node-a-1' })
      const stamp = await createPod(cluster, pod, { dryRun: 'All' }).then(stampOf)
      if (stamp.zone === undefined) counts.failures.push(`pod ${counts.asked} came back unstamped`)
      await pause(50)
    }
  })()
  return {
    async stop() {
      isStopping = true
      await running
      return counts
    },
  }
}

/** The namespace takes along what was made at run time: Secrets, the Lease, the list of zones. */
async function noTraceIsLeft(t: Test): Promise<void> {
  await kubectl('delete', 'namespace', systemNamespace, '--ignore-not-found')
  t.strictSame(await namedZonefirst(cluster), [])
  t.strictSame(await stampOfNewPod(), unstamped, 'pods are bound as before')
}
