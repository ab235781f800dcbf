// The annotator's own account on a real API server: it may do what it needs, and the admission policies keep it from
// what RBAC has to grant besides.
import '../cluster/enter.ts'
import t, { type Test } from 'tap'
import type { Service } from '../../annotator/objects/objects.ts'
import { dialects } from '../../annotator/plan/dialects/all.ts'
import type { KubeObject } from '../../lib/kube.ts'
import { pod, service } from '../scenario/shop.ts'
import {
  annotation,
  patch,
  type Routed,
  type Row,
  startPolicyCluster,
  writer,
  zonalLabel,
  zonalOf,
} from './policy-cluster.ts'

const { cluster, annotator: kube, admin, nextName, check } = await startPolicyCluster(t)
const annotator = writer(kube)
const nameOf = ({ metadata }: KubeObject) => metadata.name
const servers = {
  prefix: 'web-in',
  slots: 8,
  family: 'ipv4' as const,
  ports: { shop_svc_web_http: 8080 },
}
/** What a stolen account might want to write. */
const foreignLines: readonly [string, (text: string) => string][] = [
  ['a Service of another namespace', (text) => text.replace('.shop.svc', '.other.svc')],
  ['another host', (text) => text.replace('.svc.cluster.local', '.test')],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: HAProxy expands it
  ['another variable', (text) => text.replace('${ZONE}.', '${HOME}.')],
  ['a server', (text) => text.replace('.endif', 'server evil 192.0.2.1:80\n.endif')],
  ['a rule', (text) => `${text}http-request set-header x-evil 1\n`],
  ['a section', (text) => `${text}backend evil\n`],
  ['a file', (text) => text.replace('option allbackups', 'errorfile 503 /etc/passwd')],
  ['a file in the server’s options', (text) => text.replace(' check ', ' check ca-file /tmp/x ')],
  ['a comment', (text) => `${text}# x\n`],
  ['no more than a word', () => 'x'],
]

const labels = { app: 'web', 'zonefirst.io/enabled': 'true', 'zonefirst.io/serves': 'a' }
const annotations = { note: 'kept' }
/** A pod that nobody runs, owned and with a finalizer. */
async function newPod(t: Test) {
  const metadata = { labels, annotations, finalizers: ['shop.test/kept'] }
  const created = await admin.create('pods', pod(nextName(), 'node-never-was', metadata))
  t.teardown(async () => {
    await admin.merge('pods', nameOf(created), { metadata: { finalizers: null } })
    await admin.remove('pods', nameOf(created))
  })
  return created
}

t.test('pods: nothing but zonefirst’s own metadata', async (t) => {
  const own = await newPod(t)
  const name = nameOf(own)
  const write = (body: object) => () => annotator.merge('pods', name, body)
  const image = { name: 'sleep', image: 'other' }
  const owner = { apiVersion: 'v1', kind: 'Service', name: 'x', uid: '0a1b2c3d-0000-4000-8000-000000000002' }
  const spec = "the annotator may not change a pod's spec"
  const noLabels = 'the annotator may change no labels but those that start with zonefirst.io/'
  const noAnnotations = 'the annotator may change no annotations but those that start with zonefirst.io/'
  const noOwners = "the annotator may not change a pod's finalizers or owners"
  const stamp = { 'zonefirst.io/zone': 'b', 'zonefirst.io/zone-key': 'b' }
  await check(t, [
    { name: 'a stamp', write: write(patch(stamp, { 'zonefirst.io/serves': 'b' })) },
    {
      name: 'a stamp taken away',
      write: write(patch({ 'zonefirst.io/zone': null }, { 'zonefirst.io/serves': null })),
    },
    {
      name: 'the image',
      write: () => annotator.strategicMerge('pods', name, { spec: { containers: [image] } }),
      denied: spec,
    },
    { name: 'the deadline', write: write({ spec: { activeDeadlineSeconds: 1 } }), denied: spec },
    { name: 'a label added', write: write(patch({}, { team: 'x' })), denied: noLabels },
    { name: 'a label changed', write: write(patch({}, { app: 'other' })), denied: noLabels },
    { name: 'a label removed', write: write(patch({}, { app: null })), denied: noLabels },
    { name: 'an annotation added', write: write(patch({ more: 'x' })), denied: noAnnotations },
    { name: 'an annotation changed', write: write(patch({ note: 'x' })), denied: noAnnotations },
    { name: 'an annotation removed', write: write(patch({ note: null })), denied: noAnnotations },
    {
      name: 'a finalizer added',
      write: write({ metadata: { finalizers: ['shop.test/kept', 'shop.test/x'] } }),
      denied: noOwners,
    },
    { name: 'a finalizer removed', write: write({ metadata: { finalizers: null } }), denied: noOwners },
    { name: 'an owner', write: write({ metadata: { ownerReferences: [owner] } }), denied: noOwners },
  ])
})

t.test('primary Services: its annotation alone', async (t) => {
  const alone = 'on Services that are not zonal the annotator may change its annotation alone'
  const primary =
    (body: (metadata: Service['metadata']) => object) =>
    ({ primary }: Routed) =>
      annotator.merge('services', nameOf(primary), body(primary.metadata))
  const denied: [string, object][] = [
    ['a label', patch({}, { team: 'x' })],
    ['another annotation', patch({ note: 'x' })],
    ['another annotation of its prefix', patch({ 'backend.zonefirst.io/other': 'x' })],
    ['a finalizer', { metadata: { finalizers: ['shop.test/x'] } }],
    [
      'an owner',
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'x', uid: 'y' }] } },
    ],
    ['the selector', { spec: { selector: { app: 'other' } } }],
    ['the ports', { spec: { ports: [{ name: 'http', port: 81 }] } }],
    ['external addresses', { spec: { externalIPs: ['192.0.2.1'] } }],
    [
      'elsewhere',
      { spec: { type: 'ExternalName', externalName: 'elsewhere.test', clusterIP: null, clusterIPs: null } },
    ],
  ]
  await check(t, [
    { name: 'its value changed', write: primary(() => patch({ [annotation]: '{}' })) },
    { name: 'its annotation removed', write: primary(() => patch({ [annotation]: null })) },
    ...Object.entries(dialects).map(
      ([name, dialect]): Row => ({
        name: `the annotation of ${name}`,
        write: primary(({ name = '', namespace = '' }) =>
          patch({ [dialect.annotation]: dialect.write({ ...servers, namespace, prefix: `${name}-in` }) }),
        ),
      }),
    ),
    ...foreignLines.map(
      ([name, change]): Row => ({
        name: `lines with ${name}`,
        write: primary(({ namespace = '' }) => {
          const { annotation, write } = dialects['haproxytech-snippet']
          return patch({ [annotation]: change(write({ ...servers, namespace })) })
        }),
        denied: 'the annotator may write no other HAProxy lines than those that resolve its zonal Services',
      }),
    ),
    ...denied.map(([name, body]): Row => ({ name, write: primary(() => body), denied: alone })),
    {
      name: 'turned into a zonal Service',
      write: primary(() => patch({}, { [zonalLabel]: 'a' })),
      denied: 'the annotator may not turn a Service into a zonal one, or back',
    },
    {
      name: 'created',
      write: () => annotator.create('services', service(nextName())),
      denied: 'the annotator may create no Services but zonal ones',
    },
    {
      name: 'created by apply',
      write: () => annotator.apply('services', service(nextName())),
      denied: 'the annotator may create no Services but zonal ones',
    },
    {
      name: 'deleted',
      write: ({ primary }) => annotator.remove('services', nameOf(primary)),
      denied: 'the annotator may delete no Services but zonal ones',
    },
  ])
})

t.test('zonal Services: headless, of a zone, with an owner', async (t) => {
  const shape =
    'a zonal Service is headless, selects by zonefirst.io/serves and belongs to its primary Service'
  const unowned = (primary: Service) => {
    const { ownerReferences: _, ...metadata } = zonalOf(primary).metadata
    return { ...zonalOf(primary), metadata: { ...metadata, name: nextName() } }
  }
  const create = (primary: Service, spec: object) =>
    annotator.create('services', zonalOf(primary, spec, nextName()))
  const selector = { app: 'web' }
  await check(t, [
    { name: 'created', write: ({ primary }) => create(primary, {}) },
    {
      name: 'created by apply',
      write: ({ primary }) => annotator.apply('services', zonalOf(primary, {}, nextName())),
    },
    {
      name: 'its selector changed',
      write: ({ zonal }) =>
        annotator.merge('services', nameOf(zonal), { spec: { selector: { app: 'other' } } }),
    },
    { name: 'deleted', write: ({ zonal }) => annotator.remove('services', nameOf(zonal)) },
    {
      name: 'with an address of its own',
      write: ({ primary }) => create(primary, { clusterIP: undefined }),
      denied: shape,
    },
    { name: 'of all zones', write: ({ primary }) => create(primary, { selector }), denied: shape },
    {
      name: 'to elsewhere',
      write: ({ primary }) =>
        create(primary, { type: 'ExternalName', externalName: 'elsewhere.test', clusterIP: undefined }),
      denied: shape,
    },
    {
      name: 'without an owner',
      write: ({ primary }) => annotator.create('services', unowned(primary)),
      denied: shape,
    },
    {
      name: 'its zone taken out of its selector',
      write: ({ zonal }) =>
        annotator.merge('services', nameOf(zonal), { spec: { selector: { 'zonefirst.io/serves': null } } }),
      denied: shape,
    },
    {
      name: 'its owner taken away',
      write: ({ zonal }) =>
        annotator.merge('services', nameOf(zonal), { metadata: { ownerReferences: null } }),
      denied: shape,
    },
    {
      name: 'its label taken away',
      write: ({ zonal }) => annotator.merge('services', nameOf(zonal), patch({}, { [zonalLabel]: null })),
      denied: 'the annotator may not turn a Service into a zonal one, or back',
    },
  ])
})

t.test('a namespace with primary and zonal Services can be deleted', async (t) => {
  const namespace = 'short-lived'
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const path = `/api/v1/namespaces/${namespace}/services`
  const primary = await cluster.kube.request<Service>({ method: 'POST', path, body: service('web') })
  await kube.request({ method: 'POST', path, body: zonalOf(primary) })
  await cluster.kubectl('delete', 'namespace', namespace, '--timeout=60s')
  await t.rejects(cluster.kubectl('get', 'namespace', namespace), /NotFound/)
})

t.test('deleting a primary without what depends on it leaves the zonal Service to users', async (t) => {
  const name = nextName()
  const primary = await admin.create('services', service(name))
  await annotator.create('services', zonalOf(primary))
  await cluster.kubectl('-n', 'shop', 'delete', 'service', name, '--cascade=orphan')
  const path = `/api/v1/namespaces/shop/services/${name}-in-a`
  const { metadata } = await cluster.kube.request<Service>({ method: 'GET', path })
  t.equal(metadata.ownerReferences, undefined)
  await admin.remove('services', metadata.name)
})
