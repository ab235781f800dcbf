import t from 'tap'
import { userSettings } from '../../../annotator/plan/user-settings.ts'
import { ingress, service } from '../../fixtures/cluster-objects.ts'

const annotated = (annotations: Record<string, string>) => ({ metadata: { annotations } })

t.test(
  'the Service’s word holds, else the Ingresses’, else the controller’s own; all of it adds up',
  async (t) => {
    const all = {
      primary: service(annotated({ 'haproxy.org/balance': 'leastconn', 'other.org/balance': 'x' })),
      ingresses: [ingress(annotated({ 'ingress.kubernetes.io/balance': 'random' }))],
      controllerSettings: [{ balance: 'roundrobin' }, {}],
    }
    const onService = { value: 'leastconn', where: 'on the Service' }
    const onIngress = { value: 'random', where: 'on an Ingress' }
    const inConfigMap = { value: 'roundrobin', where: 'in the controller’s ConfigMap' }
    const prefixes = ['haproxy.org/', 'ingress.kubernetes.io/']
    const { read, readAll } = userSettings(prefixes, all)
    t.strictSame(read('balance'), [onService])
    t.strictSame(readAll('balance'), [onService, onIngress, inConfigMap])
    const withoutService = { ...all, primary: service() }
    t.strictSame(userSettings(prefixes, withoutService).read('balance'), [onIngress])
    t.strictSame(userSettings(prefixes, { ...withoutService, ingresses: [] }).read('balance'), [inConfigMap])
    t.strictSame(read('never'), [])
  },
)

t.test('the same name under several prefixes is said several times', async (t) => {
  const primary = service(annotated({ 'a/name': '1', 'b/name': '2' }))
  const { read } = userSettings(['a/', 'b/'], { primary, ingresses: [], controllerSettings: [] })
  t.strictSame(
    read('name').map(({ value }) => value),
    ['1', '2'],
  )
})
