// The admission policies on a real API server: zonal Services and their names are kept from who may edit Services, the
// administrator too, and no other names are.
import '../cluster/enter.ts'
import t from 'tap'
import { mergePatch } from '../../lib/kube.ts'
import { service } from '../scenario/shop.ts'
import { isDenied, patch, startPolicyCluster, withMetadata, zonalLabel, zonalOf } from './policy-cluster.ts'

const { cluster, annotator, admin, editor, nextName, check } = await startPolicyCluster(t)

t.test('zonal Services', (t) => {
  const label = "only zonefirst's annotator may add or remove the label zonefirst.io/zonal-service"
  const spec = "only zonefirst's annotator may change a zonal Service; change its primary Service instead"
  return check(t, [
    {
      name: 'created by a user',
      write: ({ primary }) => editor.create('services', zonalOf(primary, {}, nextName())),
      denied: label,
    },
    {
      name: 'made of the user’s own Service',
      write: ({ primary }) =>
        editor.merge('services', primary.metadata.name, patch({}, { [zonalLabel]: 'a' })),
      denied: label,
    },
    {
      name: 'its label taken away',
      write: ({ zonal }) => editor.merge('services', zonal.metadata.name, patch({}, { [zonalLabel]: null })),
      denied: label,
    },
    {
      name: 'its label taken away through the status',
      write: ({ zonal }) =>
        admin.merge('services', `${zonal.metadata.name}/status`, patch({}, { [zonalLabel]: null })),
      denied: label,
    },
    {
      name: 'its selector changed',
      write: ({ zonal }) =>
        editor.merge('services', zonal.metadata.name, { spec: { selector: { app: 'other' } } }),
      denied: spec,
    },
    {
      name: 'turned into an ExternalName',
      write: ({ zonal }) =>
        editor.merge('services', zonal.metadata.name, {
          spec: { type: 'ExternalName', externalName: 'elsewhere.test', clusterIP: null, clusterIPs: null },
        }),
      denied: spec,
    },
    {
      name: 'labels and annotations of the user’s own put on it',
      write: ({ zonal }) =>
        editor.merge('services', zonal.metadata.name, patch({ note: 'x' }, { team: 'x' })),
    },
    { name: 'deleted', write: ({ zonal }) => editor.remove('services', zonal.metadata.name) },
  ])
})

t.test('names', (t) => {
  const zf = 'names that start with zf- and ten hex digits are kept for zonefirst'
  const zone = 'names that end with -in- and a zone are kept for zonefirst'
  const external = { type: 'ExternalName', externalName: 'elsewhere.test', selector: null as never }
  const create = (name: string, spec = {}) => editor.create('services', service(name, spec))
  const generate = (generateName: string) =>
    editor.create('services', withMetadata(service(''), { name: undefined, generateName }))
  return check(t, [
    { name: 'a hashed name', write: () => create('zf-0123456789-a'), denied: zf },
    { name: 'a hashed name for any zone', write: () => create('zf-0123456789-never-was'), denied: zf },
    { name: 'a generated one', write: () => generate('zf-0123456789-'), denied: zf },
    { name: 'nine hex digits', write: () => create('zf-012345678-a') },
    { name: 'a digit that is not hex', write: () => create('zf-012345678g-a') },
    { name: 'a readable name of a zone with Nodes', write: () => create('shop-in-a'), denied: zone },
    { name: 'the same to elsewhere', write: () => create('shop2-in-a', external), denied: zone },
    {
      name: 'by apply',
      write: () => editor.apply('services', service('shop-in-a')),
      denied: zone,
    },
    {
      name: 'by the administrator',
      write: () => admin.create('services', service('shop-in-a')),
      denied: zone,
    },
    { name: 'of no zone', write: () => create('shop-in-nowhere') },
    { name: 'of no zone, to elsewhere', write: () => create('shop-in-elsewhere', external) },
    { name: 'a longer word', write: () => create('shop-in-aa') },
    { name: 'without a first part', write: () => create('in-a') },
    { name: 'a generated one that is none of ours', write: () => generate('shop-in-') },
  ])
})

t.test('a Service that had its name before there was such a zone stays its owner’s', async (t) => {
  const name = 'early-in-b'
  await editor.create('services', service(name))
  const path = '/api/v1/namespaces/zonefirst-system/configmaps/zonefirst-zones'
  const zones = (data: object) =>
    annotator.request({ method: 'PATCH', path, contentType: mergePatch, body: { data } })
  await zones({ b: 'b' })
  t.teardown(() => zones({ b: null }))
  const late = service('late-in-b')
  await cluster.until('the zone counts', () =>
    editor.create('services', late, { dryRun: 'All' }).then(() => false, isDenied),
  )
  await editor.merge('services', name, { spec: { selector: { app: 'other' } } })
  await editor.remove('services', name)
  await t.rejects(editor.create('services', service(name)), /zonefirst-zonal-names/, 'but not for ever')
})

t.test('without the list of zones only the readable names are free', async (t) => {
  const list = ['-n', 'zonefirst-system', 'configmap', 'zonefirst-zones']
  const saved = await cluster.kubectl('get', ...list, '-o', 'json')
  await cluster.kubectl('delete', ...list)
  t.teardown(() => cluster.apply(saved))
  await cluster.until('the list is gone', () =>
    editor.create('services', service('free-in-a'), { dryRun: 'All' }).then(() => true),
  )
  await t.rejects(editor.create('services', service('zf-0123456789-a')), /zonefirst-zonal-services/)
})
