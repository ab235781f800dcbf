import t from 'tap'
import { TCPResources } from '../../annotator/tcp-resources.ts'
import { cannedKube } from '../fixtures/canned-kube.ts'

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
  const resources = new TCPResources({
    kube,
    paths: ['/v3/tcps', '/v1/tcps'],
    enqueue: (key) => enqueued.push(key),
    onError: (error) => t.fail(error.message),
  })
  const informers = Object.values(resources.informers)
  for (const informer of informers) informer.start()
  t.teardown(() => {
    for (const informer of informers) informer.stop()
  })
  await Promise.all(informers.map((informer) => informer.synced()))
  const ports = (key: string) => resources.routesTo(key).map(({ port }) => port)
  t.strictSame(ports('shop/db'), [{ number: 5432 }, { number: 5434 }])
  t.strictSame(ports('other/db'), [{ number: 5433 }])
  t.strictSame(ports('shop/web'), [])
  t.strictSame([...new Set(enqueued)].sort(), ['other/db', 'shop/db'])
  t.strictSame(Object.keys(resources.informers), ['/v3/tcps', '/v1/tcps'])
})
