import t from 'tap'
import type { ProxyPod } from '../../../annotator/objects/proxy-pod.ts'
import { proxyFaultOf } from '../../../annotator/plan/proxy-faults.ts'
import { pod } from '../../fixtures/cluster-objects.ts'

const fine: ProxyPod = {
  address: '10.88.0.2',
  configMap: 'haproxy-controller/settings',
  tcpServices: undefined,
  missing: [],
  hasNodeDNS: false,
  isStampedLate: false,
}
const proxy = (changes: Partial<ProxyPod> = {}) => pod('proxy', 'a', { proxy: { ...fine, ...changes } })
const zoneOfNode = new Map([
  ['node-a', 'a'],
  ['node-b', undefined],
])

t.test('what keeps a proxy from routing by zone, the first thing first', async (t) => {
  const rows = [
    { name: 'nothing', pod: proxy(), want: undefined },
    { name: 'a pod that is no proxy', pod: pod('web', 'b'), want: undefined },
    {
      name: 'variables that it lacks',
      pod: proxy({ missing: ['ZONE', 'ZONE_RESOLVERS'], hasNodeDNS: true }),
      want: { reason: 'NotPrepared', message: /lacks the variable ZONE and ZONE_RESOLVERS, .*add ZONE/ },
    },
    {
      name: 'the Node’s DNS',
      pod: proxy({ hasNodeDNS: true }),
      want: { reason: 'NodeDNS', message: /set dnsPolicy to ClusterFirstWithHostNet/ },
    },
    {
      name: 'a Node without a zone',
      pod: { ...proxy(), nodeName: 'node-b' },
      want: { reason: 'NoZone', message: /Node node-b has no zone label.*restart this pod/ },
    },
    { name: 'a Node that is not known yet', pod: { ...proxy(), nodeName: 'node-c' }, want: undefined },
    { name: 'not bound yet', pod: { ...proxy({ hasNodeDNS: true }), nodeName: undefined }, want: undefined },
    { name: 'on its way out', pod: { ...proxy({ hasNodeDNS: true }), ended: true }, want: undefined },
    {
      name: 'its zone came after its start',
      pod: proxy({ isStampedLate: true }),
      want: { reason: 'StampedLate', message: /stamped with zone a after its start.*restart this pod/ },
    },
    {
      name: 'settings that can’t be read',
      pod: proxy({ configMap: 'haproxy-controller/secret' }),
      want: { reason: 'ConfigMapUnread', message: /ConfigMap haproxy-controller\/secret can't be read/ },
    },
    {
      name: 'TCP services that can’t be read',
      pod: proxy({ tcpServices: 'haproxy-controller/secret' }),
      want: { reason: 'ConfigMapUnread' },
    },
  ]
  for (const { name, want, ...row } of rows) {
    const found = proxyFaultOf(row.pod, zoneOfNode, (configMap) => configMap.endsWith('/secret'))
    if (want === undefined) t.equal(found, undefined, name)
    else t.match(found, want, name)
    if (found) t.match(found.message, /^\S[^\n]*[^.]$/, `${name}: one sentence`)
  }
})
