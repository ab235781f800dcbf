import t from 'tap'
import type { ProxyPods } from '../../../annotator/cluster/proxy-pods.ts'
import type { Event } from '../../../annotator/events/events.ts'
import { ProxyTeller, preparedProxies, proxyStates } from '../../../annotator/events/proxy-teller.ts'
import type { Pod } from '../../../annotator/objects/objects.ts'
import type { ProxyPod } from '../../../annotator/objects/proxy-pod.ts'
import { pod } from '../../fixtures/cluster-objects.ts'

const fine: ProxyPod = {
  address: '10.88.0.2',
  configMap: 'ingress/settings',
  tcpServices: undefined,
  missing: [],
  hasNodeDNS: false,
  isStampedLate: false,
}
const proxy = (name: string, changes: Partial<ProxyPod> = {}, more: Partial<Pod> = {}) =>
  pod(name, 'a', { proxy: { ...fine, ...changes }, isReadyProxy: true, ...more })

function viewOf(pods: readonly Pod[], unread: readonly string[] = []) {
  const proxyPods = {
    values: () => pods.values(),
    isTrusted: ({ namespace }: Pod) => namespace !== 'elsewhere',
    isUnread: (name: string) => unread.includes(name),
  } as unknown as ProxyPods
  return { zoneOfNode: new Map([['node-a', 'a']]), proxyPods }
}

t.test('each fault is told once, and again when it comes back', async (t) => {
  const events: Event[] = []
  const teller = new ProxyTeller(viewOf([]), (event) => void events.push(event))
  const look = (pod: Pod) => teller.look(pod.name, pod)
  const told = () =>
    events.splice(0).map(({ regarding, type, reason }) => `${type} ${reason} ${regarding.name}`)
  look(proxy('one'))
  t.strictSame(told(), [])
  look(proxy('one', { hasNodeDNS: true }))
  look(proxy('one', { hasNodeDNS: true }))
  t.strictSame(told(), ['Warning NodeDNS one'])
  look(proxy('one', { missing: ['ZONE'] }))
  t.strictSame(told(), ['Warning NotPrepared one'])
  look(proxy('one'))
  look(proxy('one', { missing: ['ZONE'] }))
  t.strictSame(told(), ['Warning NotPrepared one'])
  teller.look('one', undefined)
  look(proxy('one', { missing: ['ZONE'] }))
  t.strictSame(told(), ['Warning NotPrepared one'], 'a pod of a name that another one had')
  look(proxy('two', {}, { namespace: 'elsewhere' }))
  t.strictSame(told(), ['Warning NotTrusted two'])
})

t.test('how many are in which state, and which can be expected to route by zone', async (t) => {
  const view = viewOf(
    [
      proxy('one'),
      proxy('two'),
      proxy('waiting', {}, { isReadyProxy: false }),
      proxy('unread', { configMap: 'ingress/secret' }),
      proxy('bare', { missing: ['ZONE'] }),
      proxy('ended', {}, { ended: true }),
    ],
    ['ingress/secret'],
  )
  t.strictSame(
    proxyStates(view),
    new Map([
      ['Prepared', 3],
      ['ConfigMapUnread', 1],
      ['NotPrepared', 1],
    ]),
  )
  t.strictSame(
    preparedProxies(view).map(({ name }) => name),
    ['one', 'two', 'unread'],
    'settings that can’t be read keep nobody from routing by zone',
  )
})
