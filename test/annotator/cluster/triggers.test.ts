import t from 'tap'
import {
  keysOfEndpoints,
  keysOfIngress,
  keysOfPod,
  keysOfService,
} from '../../../annotator/cluster/triggers.ts'
import { selectorIndex } from '../../../annotator/objects/selector.ts'
import { zonalService } from '../../../annotator/plan/zonal-services.ts'
import { endpoints, ingress, pod, service } from '../../fixtures/cluster-objects.ts'

const named = (name: string, selector: Record<string, string>, namespace = 'shop') =>
  service({ metadata: { name, namespace, uid: name }, spec: { selector } })

t.test('keys of a Service', async (t) => {
  t.strictSame(keysOfService(service()), ['shop/web'])
  const zonal = zonalService(service(), 'web-in', { zone: 'a', key: 'a' })
  t.strictSame(keysOfService(zonal), ['shop/web'], 'a zonal Service concerns its primary')
  t.strictSame(
    keysOfService(named('web-in-a', {})),
    ['shop/web-in-a', 'shop/web'],
    'a foreign one under such a name too',
  )
})

t.test('keys of Ingresses and EndpointSlices', async (t) => {
  t.strictSame(keysOfIngress(ingress()), ['shop/web'])
  t.strictSame(keysOfEndpoints(endpoints([])), ['shop/web'])
  t.strictSame(keysOfEndpoints(endpoints([], { service: '' })), [], 'a slice of no Service')
})

t.test('keys of a pod: every Service that selects it', async (t) => {
  const index = selectorIndex()
  const services = [
    named('web', { app: 'web' }),
    named('canary', { app: 'web', track: 'canary' }),
    named('all', { 'zonefirst.io/enabled': 'true' }),
    named('none', {}),
    named('web', { app: 'web' }, 'other'),
    zonalService(service(), 'web-in', { zone: 'a', key: 'a' }),
  ]
  for (const each of services) index.replace(each, undefined)
  t.strictSame(keysOfPod(pod('web-1', 'a'), index).sort(), ['shop/all', 'shop/web'])
  index.replace(named('web', { app: 'api' }), services[0])
  index.replace(undefined, services[2])
  t.strictSame(keysOfPod(pod('web-1', 'a'), index), [], 'after a changed selector and a deletion')
})
