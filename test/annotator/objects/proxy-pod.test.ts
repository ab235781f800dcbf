import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { proxyPod } from '../../../annotator/objects/proxy-pod.ts'
import type { KubeObject } from '../../../lib/kube.ts'
import { deepFreeze } from '../../fixtures/freeze.ts'

const env = ['ZONE', 'ZONE_RESOLVERS'].map((name) => ({ name, value: 'x' }))
const controller = { name: 'controller', env }
const object = (spec: object, more: object = {}) =>
  deepFreeze({
    metadata: { name: 'proxy', namespace: 'haproxy-controller' },
    spec: { containers: [controller], ...spec },
    ...more,
  }) as KubeObject

t.test('the ConfigMap that the command line names', async (t) => {
  const rows = [
    { args: ['--configmap=ingress/settings'], want: 'ingress/settings' },
    { args: ['--configmap', 'ingress/settings', '--ipv4-bind-port=80'], want: 'ingress/settings' },
    { args: ['--configmap=$(POD_NAMESPACE)/settings'], want: 'haproxy-controller/settings' },
    { args: ['--configmap-tcp-services=ingress/tcp'], want: undefined },
    { args: ['--configmap-tcp-services=ingress/tcp', '--configmap=a/b'], want: 'a/b' },
    { command: ['sh', '-c', 'exec controller --configmap="a/b" --x'], want: 'a/b' },
    { args: ['--configmap=../settings'], want: undefined },
    { args: ['--configmap=a?watch=0&x/settings'], want: undefined },
    { args: ['--configmap=a/b,metadata.namespace!=a'], want: 'a/b' },
    { args: [], want: undefined },
  ]
  for (const { want, ...words } of rows) {
    const { configMap } = proxyPod(object({ containers: [{ ...controller, ...words }] }))
    t.equal(configMap, want, JSON.stringify(words))
  }
})

t.test('the ConfigMap of TCP services that it names, as either controller calls it', async (t) => {
  for (const flag of ['--configmap-tcp-services', '--tcp-services-configmap']) {
    const args = ['--configmap=a/b', `${flag}=ingress/tcp`]
    const found = proxyPod(object({ containers: [{ ...controller, args }] }))
    t.match(found, { configMap: 'a/b', tcpServices: 'ingress/tcp' }, flag)
  }
  t.equal(proxyPod(object({})).tcpServices, undefined)
})

t.test('a command line of the largest size that a pod can have does not keep the annotator', async (t) => {
  // in a process of its own, since nothing else ends a search that takes minutes
  const script = `
    const { proxyPod } = await import(${JSON.stringify(join(import.meta.dirname, '../../../annotator/objects/proxy-pod.ts'))})
    const args = ['--configmap='.repeat(120_000)]
    const pod = { metadata: { name: 'x', namespace: 'shop' }, spec: { containers: [{ name: 'x', args }] } }
    console.log(String(proxyPod(pod).configMap))`
  const options = { input: script, encoding: 'utf8' as const, timeout: 60_000 }
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module'], options)
  t.equal(signal, null)
  t.equal(stdout, 'undefined\n')
})

t.test('the variables that switch routing by zone on', async (t) => {
  const missing = (...containers: object[]) => proxyPod(object({ containers })).missing
  t.strictSame(missing(controller), [])
  t.strictSame(missing({ name: 'sidecar' }, controller), [])
  t.strictSame(missing({ name: 'controller' }), ['ZONE', 'ZONE_RESOLVERS'])
  t.strictSame(missing({ name: 'controller', env: env.slice(0, 1) }), ['ZONE_RESOLVERS'])
  const envFrom = [{ configMapRef: { name: 'zonefirst' } }]
  t.strictSame(missing({ name: 'controller', envFrom }), [], 'what comes from elsewhere can’t be seen')
})

t.test('whose DNS it asks', async (t) => {
  const rows = [
    { spec: {}, want: false },
    { spec: { dnsPolicy: 'ClusterFirst' }, want: false },
    { spec: { dnsPolicy: 'Default' }, want: true },
    { spec: { hostNetwork: true, dnsPolicy: 'ClusterFirst' }, want: true },
    { spec: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, want: false },
    { spec: { hostNetwork: true, dnsPolicy: 'None' }, want: false },
  ]
  for (const { spec, want } of rows) t.equal(proxyPod(object(spec)).hasNodeDNS, want, JSON.stringify(spec))
})

t.test('a zone that came after the start', async (t) => {
  const stamp = (manager: string, time: string, annotation = 'zonefirst.io/zone-key') => ({
    manager,
    time,
    fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${annotation}`]: {} } } },
  })
  const us = 'zonefirst-annotator'
  const [before, start, after] = ['2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z', '2026-01-01T00:00:03Z']
  const rows = [
    { name: 'stamped as it was bound', fields: [stamp('kube-scheduler', after)], want: false },
    { name: 'by the annotator, but before', fields: [stamp(us, before)], want: false },
    { name: 'by the annotator, after', fields: [stamp(us, after)], want: true },
    { name: 'within the same second', fields: [stamp(us, start)], want: true },
    { name: 'another annotation', fields: [stamp(us, after, 'zonefirst.io/other')], want: false },
    { name: 'the annotator owns a label', fields: [{ manager: us, time: after, fieldsV1: {} }], want: false },
    { name: 'a container that does not read it', fields: [stamp(us, after)], of: 'sidecar', want: false },
    { name: 'no container runs', fields: [stamp(us, after)], state: { waiting: {} }, want: false },
  ]
  const running = { running: { startedAt: '2026-01-01T00:00:02.4Z' } }
  for (const { name, fields, of = 'controller', state = running, want } of rows) {
    const metadata = { name: 'proxy', managedFields: fields }
    const status = { containerStatuses: [{ name: of, state }], podIP: '10.88.0.2' }
    const found = proxyPod(object({}, { metadata, status }))
    t.equal(found.isStampedLate, want, name)
    t.equal(found.address, '10.88.0.2')
  }
})
