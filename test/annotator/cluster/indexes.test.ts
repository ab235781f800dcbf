import t from 'tap'
import {
  endpointsIndex,
  ingressIndex,
  serviceIndex,
  tcpResourceIndex,
} from '../../../annotator/cluster/indexes.ts'
import { endpoints, ingress, service } from '../../fixtures/cluster-objects.ts'

t.test('Services by namespace, each under its name', async (t) => {
  const index = serviceIndex()
  const named = (name: string, namespace: string) => service({ metadata: { name, namespace } })
  const [web, api, other] = [named('web', 'shop'), named('api', 'shop'), named('web', 'other')]
  for (const each of [web, api, other]) index.replace(each, undefined)
  t.strictSame([...index.get('shop').keys()], ['web', 'api'])
  t.equal(index.get('other').get('web'), other)
})

t.test('EndpointSlices by their Service, which may have several', async (t) => {
  const index = endpointsIndex()
  const [one, two] = [endpoints(['web-1'], { name: 'web-1' }), endpoints(['web-2'], { name: 'web-2' })]
  for (const each of [one, two, endpoints([], { name: 'api-1', service: 'api' })])
    index.replace(each, undefined)
  t.strictSame([...index.get('shop/web')], Object.entries({ 'web-1': one, 'web-2': two }))
})

t.test('Ingresses by every Service that they route to', async (t) => {
  const index = ingressIndex()
  const path = (name: string) => ({
    path: `/${name}`,
    pathType: 'Prefix',
    backend: { service: { name, port: { number: 80 } } },
  })
  const both = ingress({
    metadata: { name: 'both' },
    spec: { rules: [{ http: { paths: [path('web'), path('api')] } }] },
  })
  for (const each of [ingress(), both]) index.replace(each, undefined)
  t.strictSame([...index.get('shop/web').keys()], ['web', 'both'])
  t.strictSame([...index.get('shop/api').keys()], ['both'])
})

t.test('TCP resources by every Service that they route to', async (t) => {
  const index = tcpResourceIndex()
  const route = (name: string) => ({ service: name, port: { number: 5432 }, standalone: undefined })
  const resource = (name: string, ...services: string[]) => ({
    namespace: 'shop',
    name,
    routes: services.map(route),
  })
  for (const each of [resource('one', 'db'), resource('two', 'db', 'cache')]) index.replace(each, undefined)
  t.strictSame([...index.get('shop/db').keys()], ['one', 'two'])
  t.strictSame([...index.get('shop/cache').keys()], ['two'])
})
