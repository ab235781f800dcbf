import t, { type Test } from 'tap'
import { CustomResources } from '../../../annotator/cluster/custom-resources.ts'
import { cannedKube } from '../../fixtures/canned-kube.ts'

async function untilRead(t: Test, resources: CustomResources): Promise<void> {
  const informers = Object.values(resources.informers)
  for (const informer of informers) informer.start()
  t.teardown(() => {
    for (const informer of informers) informer.stop()
  })
  await Promise.all(informers.map((informer) => informer.synced()))
}

t.test('Backend resources: the first version that has one', async (t) => {
  const resource = (name: string, spec: object) => ({
    metadata: { namespace: 'shop', name, resourceVersion: '1' },
    spec,
  })
  const cookie = { cookie: { name: 'c' } }
  let changes = 0
  const resources = new CustomResources({
    kube: cannedKube({
      '/v3/backends': [resource('web', {})],
      '/v1/backends': [resource('web', { config: cookie }), resource('old', { config: cookie })],
    }),
    paths: { tcps: [], backends: ['/v3/backends', '/v1/backends'] },
    enqueue: () => t.fail(),
    onBackend: () => {
      changes += 1
    },
    onError: (error) => t.fail(error.message),
  })
  await untilRead(t, resources)
  t.equal(changes, 3)
  t.strictSame(resources.backend('shop', 'web'), { refusal: undefined })
  t.match(resources.backend('shop', 'old'), { refusal: { reason: 'StaticCookie' } })
  t.equal(resources.backend('other', 'web'), undefined)
})

t.test('what routes to a Service, of whatever version, in its own namespace', async (t) => {
  const resource = (namespace: string, name: string, port: number) => ({
    metadata: { namespace, name, resourceVersion: '1' },
    spec: [{ name, service: { name: 'db', port } }],
  })
  const kube = cannedKube({
    '/v3/tcps': [resource('shop', 'one', 5432), resource('other', 'one', 5433)],
    '/v1/tcps': [resource('shop', 'one', 5434)],
  })
  const enqueued: string[] = []
  const resources = new CustomResources({
    kube,
    paths: { tcps: ['/v3/tcps', '/v1/tcps'], backends: [] },
    onBackend: () => t.fail(),
    enqueue: (key) => enqueued.push(key),
    onError: (error) => t.fail(error.message),
  })
  await untilRead(t, resources)
  const ports = (key: string) => resources.routesTo(key).map(({ port }) => port)
  t.strictSame(ports('shop/db'), [{ number: 5432 }, { number: 5434 }])
  t.strictSame(ports('other/db'), [{ number: 5433 }])
  t.strictSame(ports('shop/web'), [])
  t.strictSame([...new Set(enqueued)].sort(), ['other/db', 'shop/db'])
  t.strictSame(Object.keys(resources.informers), ['/v3/tcps', '/v1/tcps'])
})
