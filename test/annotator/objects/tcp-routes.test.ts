import t from 'tap'
import {
  keepTCPResource,
  keysOfTCPResource,
  routesOfTCPServices,
} from '../../../annotator/objects/tcp-routes.ts'
import type { KubeObject } from '../../../lib/kube.ts'

const route = (service: string, number: number) => ({ service, port: { number }, standalone: undefined })

t.test('a TCP resource', async (t) => {
  const spec = [
    { name: 'sql', frontend: { name: 'fe-sql' }, service: { name: 'db', port: 5432 } },
    {
      name: 'mixed',
      service: { name: 'db', port: 5433 },
      services: [
        { name: 'replica', port: 5432 },
        { name: 'db', port: 5434 },
      ],
    },
    { name: 'nothing behind it' },
  ]
  const resource = keepTCPResource({ metadata: { name: 'tcp', namespace: 'shop' }, spec } as KubeObject)
  t.strictSame(resource, {
    namespace: 'shop',
    name: 'tcp',
    routes: [route('db', 5432), route('db', 5433), route('replica', 5432), route('db', 5434)],
  })
  t.strictSame(keysOfTCPResource(resource), ['shop/db', 'shop/replica'])
  for (const odd of [undefined, null, {}, 'text', [null], [{ services: null }], [{ service: {} }]]) {
    const kept = keepTCPResource({ metadata: { name: 'odd' }, spec: odd } as KubeObject)
    t.strictSame(kept.routes, [], JSON.stringify(odd))
  }
})

t.test('ConfigMaps of TCP services', async (t) => {
  const contents = [
    { '5432': 'shop/db:5432', '5433': 'shop/db:5433:ssl', '80': 'shop/web:80', 'log-format-tcp': '%ci' },
    { '6379': 'shop/cache:6379:PROXY', '5434': 'other/db:5432' },
  ]
  t.strictSame(routesOfTCPServices(contents, 'shop/db'), [route('db', 5432), route('db', 5433)])
  t.strictSame(routesOfTCPServices(contents, 'shop/cache'), [route('cache', 6379)])
  t.strictSame(routesOfTCPServices([], 'shop/db'), [])
})
