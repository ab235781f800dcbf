// The webhook on a real API server, installed from its manifests. What is asserted are objects in the API and the
// reasons that the webhook counted.
import '../cluster/enter.ts'
import type { V1Pod } from '@kubernetes/client-node'
import t from 'tap'
import { Informer } from '../../lib/informer.ts'
import { mergePatch } from '../../lib/kube.ts'
import {
  bind,
  createPod,
  getPod,
  inZoneA,
  podOf,
  reasonsOf,
  stampOf,
  startWebhookCluster,
  unstamped,
  webhookPods,
} from '../scenario/webhook-cluster.ts'

const cluster = await startWebhookCluster({ zones: ['a', 'Rack_A'] })
t.teardown(() => cluster.stop())

let count = 0
const nextName = () => `web-${++count}`

t.test('a pod that the scheduler binds has its stamp in the very write that gives it a node', async (t) => {
  const versions: V1Pod[] = []
  const pods = new Informer<V1Pod>({
    kube: cluster.kube,
    path: '/api/v1/namespaces/shop/pods',
    project: (object) => object as V1Pod,
    onChange: (now) => now && versions.push(now),
  })
  t.teardown(() => pods.stop())
  pods.start()
  await pods.synced()
  const pod = podOf({ name: nextName() }, { schedulerName: 'default-scheduler' })
  const { reasons } = await reasonsOf(cluster, async () => {
    await createPod(cluster, pod)
    await cluster.until('the pod runs', async () => (await getPod(cluster, pod)).status?.phase === 'Running')
    await cluster.until('its versions were seen', () =>
      versions.some(({ status }) => status?.phase === 'Running'),
    )
  })
  t.strictSame(reasons, ['stamped'])
  const first = versions.find(({ spec }) => spec?.nodeName)
  const zone = first?.metadata?.labels?.['topology.kubernetes.io/zone']
  t.ok(zone, 'the API server’s own label')
  t.equal(stampOf(first ?? {}).zone, zone)
  t.ok(versions.filter(({ spec }) => !spec?.nodeName).every((early) => stampOf(early).zone === undefined))
})

t.test('bindings', async (t) => {
  const rows = [
    { name: 'opted in', binding: {}, want: inZoneA, reasons: ['stamped'] },
    { name: 'posted to the legacy resource', binding: { legacy: true }, want: inZoneA, reasons: ['stamped'] },
    {
      name: 'without the opt-in label',
      metadata: { labels: { app: 'web' } },
      binding: {},
      want: unstamped,
      reasons: ['not-opted-in'],
    },
    {
      name: 'a preset of our keys on the pod gives way to the truth',
      metadata: {
        labels: {
          'zonefirst.io/enabled': 'true',
          'zonefirst.io/serves': 'wrong',
          'topology.kubernetes.io/zone': 'wrong',
        },
        annotations: { 'zonefirst.io/zone': 'wrong', 'zonefirst.io/zone-key': 'wrong' },
      },
      binding: {},
      want: inZoneA,
      reasons: ['stamped'],
    },
    {
      name: 'a preset of our keys on the Binding gives way too, and the annotations of others stay',
      binding: { metadata: { annotations: { 'zonefirst.io/zone': 'wrong', 'other.io/key': 'kept' } } },
      want: inZoneA,
      reasons: ['stamped'],
      annotation: 'kept',
    },
    {
      name: 'a zone that is no DNS label',
      binding: { node: 'node-rack-a-1' },
      want: { zone: 'Rack_A', key: 'rack-a-573828', serves: 'rack-a-573828' },
      reasons: ['stamped'],
    },
  ]
  for (const { name, metadata, binding, want, reasons, annotation } of rows) {
    const pod = await createPod(cluster, podOf({ name: nextName(), ...metadata }))
    const seen = await reasonsOf(cluster, () => bind(cluster, pod, binding))
    t.strictSame(stampOf(seen.result), want, name)
    t.strictSame(seen.reasons, reasons, name)
    t.equal(seen.result.metadata?.annotations?.['other.io/key'], annotation, name)
  }
})

t.test('nodes as they come', async (t) => {
  const rows = [
    { name: 'bare', labels: {}, want: unstamped, reasons: ['node-without-zone'] },
    { name: 'zero', zone: '0', key: '0' },
    { name: 'phoenix', zone: 'PHX-AD-1', key: 'phx-ad-1-ad6871' },
    { name: 'dotted', zone: 'dc.1', key: 'dc-1-9815f9' },
    { name: 'long', zone: `${'long-'.repeat(12)}end`, key: 'long-long-long-lo-e4855d' },
  ].map(({ zone, key, ...row }) => ({
    labels: { 'topology.kubernetes.io/zone': zone ?? '' },
    want: { zone, key, serves: key },
    reasons: ['stamped'],
    ...row,
  }))
  for (const { name, labels, want, reasons } of rows) {
    const body = { metadata: { name, labels } }
    await cluster.kube.request({ method: 'POST', path: '/api/v1/nodes', body })
    t.teardown(() => cluster.kube.request({ method: 'DELETE', path: `/api/v1/nodes/${name}` }))
    const pod = await createPod(cluster, podOf({ name: nextName() }))
    const seen = await reasonsOf(cluster, () => bind(cluster, pod, { node: name }))
    t.strictSame(stampOf(seen.result), want, name)
    t.strictSame(seen.reasons, reasons, name)
    t.equal(seen.result.spec?.nodeName, name, `${name}: bound in any case`)
  }
  const pod = await createPod(cluster, podOf({ name: nextName() }))
  const { reasons, result } = await reasonsOf(cluster, () => bind(cluster, pod, { node: 'never-was' }))
  t.strictSame(reasons, ['node-gone'])
  t.strictSame(stampOf(result), unstamped)
})

t.test('pods that are created on a node', async (t) => {
  const rows = [
    { name: 'opted in', metadata: {}, want: inZoneA, reasons: ['stamped'] },
    { name: 'not opted in: never sent', metadata: { labels: {} }, want: unstamped, reasons: [] },
    {
      name: 'a mirror pod: never sent',
      metadata: { annotations: { 'kubernetes.io/config.mirror': 'hash' } },
      want: unstamped,
      reasons: [],
    },
  ]
  for (const { name, metadata, want, reasons } of rows) {
    const pod = podOf({ name: nextName(), ...metadata }, { nodeName: 'node-a-1' })
    const seen = await reasonsOf(cluster, () => createPod(cluster, pod))
    t.strictSame(stampOf(seen.result), want, name)
    t.strictSame(seen.reasons, reasons, name)
  }
  const { reasons } = await reasonsOf(cluster, () => createPod(cluster, podOf({ name: nextName() })))
  t.strictSame(reasons, [], 'without nodeName: never sent, its binding will be')
})

t.test('what else happens to a pod is never sent', async (t) => {
  const pod = await createPod(cluster, podOf({ name: nextName() }, { nodeName: 'node-a-1' }))
  const path = `/api/v1/namespaces/shop/pods/${pod.metadata?.name}`
  const patch = (where: string, body: object) =>
    cluster.kube.request({ method: 'PATCH', path: where, body, contentType: mergePatch })
  const rows = [
    { name: 'an update', act: () => patch(path, { metadata: { labels: { app: 'web' } } }) },
    { name: 'its status', act: () => patch(`${path}/status`, { status: { message: 'fine' } }) },
    {
      name: 'an eviction',
      act: () =>
        cluster.kube.request({
          method: 'POST',
          path: `${path}/eviction`,
          query: { dryRun: 'All' },
          body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.metadata?.name } },
        }),
    },
    { name: 'its deletion', act: () => cluster.kube.request({ method: 'DELETE', path }) },
  ]
  for (const { name, act } of rows) t.strictSame((await reasonsOf(cluster, act)).reasons, [], name)
})

t.test('a dry run shows the stamp and writes nothing', async (t) => {
  const pod = podOf({ name: nextName() }, { nodeName: 'node-a-1' })
  t.strictSame(stampOf(await createPod(cluster, pod, { dryRun: 'All' })), inZoneA)
  await t.rejects(getPod(cluster, pod), /404/)

  const pending = await createPod(cluster, podOf({ name: nextName() }))
  const after = await bind(cluster, pending, { dryRun: true })
  t.equal(after.spec?.nodeName, undefined)
  t.strictSame(stampOf(after), unstamped)
})

t.test('excluded namespaces are never sent, and need nothing of the webhook', async (t) => {
  for (const namespace of ['kube-system', 'zonefirst-system']) {
    const sketch = podOf({ name: nextName(), namespace })
    // as the namespace's Pod Security level demands
    const { spec } = (await webhookPods(cluster))[0] ?? {}
    const container = { ...sketch.spec?.containers[0], securityContext: spec?.containers[0]?.securityContext }
    const body = {
      ...sketch,
      spec: { ...sketch.spec, securityContext: spec?.securityContext, containers: [container] },
    }
    const seen = await reasonsOf(cluster, async () => bind(cluster, await createPod(cluster, body as V1Pod)))
    t.strictSame(stampOf(seen.result), unstamped, namespace)
    t.strictSame(seen.reasons, [], namespace)
    await cluster.kubectl('-n', namespace, 'delete', 'pod', sketch.metadata?.name ?? '')
  }
})

t.test('a binding that the API server refuses is no failure of the webhook', async (t) => {
  const old = await createPod(cluster, podOf({ name: nextName() }))
  await cluster.kubectl('-n', 'shop', 'delete', 'pod', old.metadata?.name ?? '')
  const { reasons } = await reasonsOf(cluster, () => t.rejects(bind(cluster, old), /404/))
  t.strictSame(reasons, ['pod-gone'])

  await createPod(cluster, podOf({ name: old.metadata?.name ?? '' }))
  const reused = await reasonsOf(cluster, () => t.rejects(bind(cluster, old), /409/))
  t.strictSame(reused.reasons, ['pod-gone'], 'the name is another pod’s now')
})
