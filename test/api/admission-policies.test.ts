// The admission policies on a real API server: the annotation that an ingress controller turns into server lines is the
// annotator's alone, and who may edit Services and Ingresses may do all else with them.
import '../cluster/enter.ts'
import t from 'tap'
import type { KubeObject } from '../../lib/kube.ts'
import { hostileAnnotations } from '../fixtures/hostile-annotations.ts'
import { ingress, service } from '../scenario/shop.ts'
import { annotation, patch, startPolicyCluster, withMetadata } from './policy-cluster.ts'

const { admin, editor, nextName, check } = await startPolicyCluster(t)
const other = 'backend.zonefirst.io/other'
const theirs = { [annotation]: '{"name":"kube-dns","slots":8,"ports":{}}' }
const onlyTheAnnotator =
  "only zonefirst's annotator may add or change annotations that start with backend.zonefirst.io/"
const primaryOf = (metadata: object) => ({ apiVersion: 'v1', kind: 'Service', metadata }) as KubeObject

t.test('the annotation on Services', (t) =>
  check(t, [
    {
      name: 'created with it',
      write: () => editor.create('services', service(nextName(), {}, { annotations: theirs })),
      denied: onlyTheAnnotator,
    },
    {
      name: 'created with another of that prefix',
      write: () => editor.create('services', service(nextName(), {}, { annotations: { [other]: 'x' } })),
      denied: onlyTheAnnotator,
    },
    {
      name: 'created by apply with it',
      write: () => editor.apply('services', service(nextName(), {}, { annotations: theirs })),
      denied: onlyTheAnnotator,
    },
    {
      name: 'changed by replacing the object',
      write: ({ primary }) => editor.replace('services', withMetadata(primary, { annotations: theirs })),
      denied: onlyTheAnnotator,
    },
    {
      name: 'changed by merge patch',
      write: ({ primary }) => editor.merge('services', primary.metadata.name, patch(theirs)),
      denied: onlyTheAnnotator,
    },
    {
      name: 'changed by strategic merge patch',
      write: ({ primary }) => editor.strategicMerge('services', primary.metadata.name, patch(theirs)),
      denied: onlyTheAnnotator,
    },
    {
      name: 'changed by JSON patch',
      write: ({ primary }) =>
        editor.jsonPatch('services', primary.metadata.name, [
          { op: 'replace', path: '/metadata/annotations/backend.zonefirst.io~1servers', value: 'x' },
        ]),
      denied: onlyTheAnnotator,
    },
    {
      name: 'changed by forced apply',
      write: ({ primary }) =>
        editor.apply('services', primaryOf({ name: primary.metadata.name, annotations: theirs }), {
          force: true,
        }),
      denied: onlyTheAnnotator,
    },
    {
      name: 'another of that prefix added',
      write: ({ primary }) => editor.merge('services', primary.metadata.name, patch({ [other]: 'x' })),
      denied: onlyTheAnnotator,
    },
    {
      name: 'put on a zonal Service',
      write: ({ zonal }) => editor.merge('services', zonal.metadata.name, patch(theirs)),
      denied: onlyTheAnnotator,
    },
    {
      name: 'by the administrator, too',
      write: ({ primary }) => admin.merge('services', primary.metadata.name, patch(theirs)),
      denied: onlyTheAnnotator,
    },
    {
      name: 'through the status',
      write: ({ primary }) => admin.merge('services', `${primary.metadata.name}/status`, patch(theirs)),
      denied: onlyTheAnnotator,
    },
    {
      name: 'left as it is while the object is replaced',
      write: ({ primary }) => editor.replace('services', withMetadata(primary, { labels: { team: 'shop' } })),
    },
    {
      name: 'applied with the value that it has',
      write: ({ primary: { metadata } }) =>
        editor.apply('services', primaryOf({ name: metadata.name, annotations: metadata.annotations })),
    },
    {
      name: 'removed by merge patch',
      write: ({ primary }) => editor.merge('services', primary.metadata.name, patch({ [annotation]: null })),
    },
    {
      name: 'removed by replacing the object',
      write: ({ primary }) => editor.replace('services', withMetadata(primary, { annotations: {} })),
    },
    {
      name: 'the rest of an annotated Service changed',
      write: ({ primary }) =>
        editor.merge('services', primary.metadata.name, {
          ...patch({ note: 'x' }, { team: 'shop' }),
          spec: { selector: { app: 'other' } },
        }),
    },
    {
      name: 'an annotated Service deleted',
      write: ({ primary }) => editor.remove('services', primary.metadata.name),
    },
  ]),
)

t.test('whatever it says, on Services and on Ingresses', async (t) => {
  await editor.create('ingresses', ingress('hostile'))
  const trials = Object.entries(hostileAnnotations('shop_svc_web_http'))
  await check(
    t,
    trials.flatMap(([what, value]) => [
      {
        name: what,
        write: ({ primary }) =>
          editor.merge('services', primary.metadata.name, patch({ [annotation]: value })),
        denied: onlyTheAnnotator,
      },
      {
        name: `${what}, on an Ingress`,
        write: () => editor.merge('ingresses', 'hostile', patch({ [annotation]: value })),
        denied: onlyTheAnnotator,
      },
    ]),
  )
})

t.test('the prefix that the controller takes for one of its own', (t) => {
  const alone = 'Services and Ingresses may have zonefirst.io/allow-hash-balancing alone'
  const snippet = { 'zonefirst.io/backend-config-snippet': 'server evil 192.0.2.1:80' }
  const web = (annotations: Record<string, string>) => service(nextName(), {}, { annotations })
  return check(t, [
    { name: 'a snippet on a Service', write: () => editor.create('services', web(snippet)), denied: alone },
    {
      name: 'a snippet on a Service that is there',
      write: ({ primary }) => editor.merge('services', primary.metadata.name, patch(snippet)),
      denied: alone,
    },
    {
      name: 'a snippet on an Ingress',
      write: () => editor.create('ingresses', withMetadata(ingress(nextName()), { annotations: snippet })),
      denied: alone,
    },
    {
      name: 'a setting',
      write: () => editor.create('services', web({ 'zonefirst.io/load-balance': 'source' })),
      denied: alone,
    },
    {
      name: 'consent to hash balancing',
      write: () => editor.create('services', web({ 'zonefirst.io/allow-hash-balancing': 'true' })),
    },
  ])
})

t.test('the annotation on Ingresses', async (t) => {
  await editor.create('ingresses', ingress('web'))
  await check(t, [
    {
      name: 'created with it',
      write: () => editor.create('ingresses', withMetadata(ingress('web2'), { annotations: theirs })),
      denied: onlyTheAnnotator,
    },
    {
      name: 'added',
      write: () => editor.merge('ingresses', 'web', patch(theirs)),
      denied: onlyTheAnnotator,
    },
    {
      name: 'added through the status',
      write: () => admin.merge('ingresses', 'web/status', patch(theirs)),
      denied: onlyTheAnnotator,
    },
    { name: 'another annotation', write: () => editor.merge('ingresses', 'web', patch({ note: 'x' })) },
  ])
})
