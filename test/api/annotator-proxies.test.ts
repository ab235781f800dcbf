// What the annotator makes of the ingress controllers' pods on a real API server: their own ConfigMap holds for every
// Service, and what keeps one of them from routing by zone is told on its pod.
import '../cluster/enter.ts'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { ingress, openShop, pod, proxy, service } from '../scenario/shop.ts'
import { leaderMetrics } from '../scenario/told.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
await installZonefirst(cluster, {
  annotatorEnv: { ZONEFIRST_GRACE_TIME: '2s', ZONEFIRST_RELEASE_TIME: '2s' },
})
await cluster.kubectl('create', 'namespace', 'haproxy-controller')
await cluster.kubectl('apply', '-f', 'manifests/ingress-controller/annotator-role.yaml')

/** The controller's own ConfigMap; the pods that name it live elsewhere. */
async function configure(name: string, data: Record<string, string>): Promise<void> {
  const metadata = { name, namespace: 'haproxy-controller' }
  await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
}

t.test('defaults of the controller count as if they stood on the Service', async (t) => {
  const shop = await openShop(cluster, t)
  t.teardown(() => cluster.kubectl('-n', 'haproxy-controller', 'delete', 'configmap/defaults'))
  const own = { 'haproxy.org/load-balance': 'leastconn' }
  await shop.apply(
    proxy('proxy', 'node-a-1', { configMap: 'haproxy-controller/defaults' }),
    pod('web-a', 'node-a-1'),
    service('web'),
    ingress('web'),
    service('balanced', {}, { annotations: own }),
    ingress('balanced'),
  )
  const servers = await shop.untilServers('web')
  const balanced = await shop.untilServers('balanced')
  const untilRefused = async (reason: string, message: RegExp) => {
    await cluster.until(`web is left alone: ${reason}`, async () => (await shop.servers('web')) === undefined)
    t.match((await shop.untilEvent('web', reason)).message, message)
  }

  await configure('defaults', { 'load-balance': 'uri', 'timeout-server': '30s' })
  await untilRefused('HashBalancing', /\(uri, set in the controller’s ConfigMap\)/)
  t.strictSame(await shop.servers('balanced'), balanced, 'what a Service says itself holds')

  await configure('defaults', { 'cookie-persistence': 'mycookie', 'pod-maxconn': '30', check: 'false' })
  t.strictSame(await shop.untilServers('web'), servers, 'a dynamic cookie and other settings do no harm')

  await configure('defaults', { 'cookie-persistence-no-dynamic': 'mycookie' })
  await untilRefused('StaticCookie', /cookie \(set in the controller’s ConfigMap\)/)

  await configure('defaults', { 'backend-config-snippet': 'no option redispatch' })
  await untilRefused('SnippetUndoes', /`no option redispatch`, in the controller’s ConfigMap/)

  await shop.kubectl('delete', 'pod/proxy')
  t.strictSame(await shop.untilServers('web'), servers, 'a controller that is gone has nothing to say')
})

t.test('what keeps a proxy from routing by zone is told on its pod, and counted', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(
    proxy('fine', 'node-a-1'),
    proxy('bare', 'node-a-1', { variables: ['ZONE'] }),
    proxy('host', 'node-a-1', { spec: { hostNetwork: true, dnsPolicy: 'ClusterFirst' } }),
    proxy('node-dns', 'node-b-1', { spec: { dnsPolicy: 'Default' } }),
    proxy('unread', 'node-b-1', { configMap: 'kube-system/settings' }),
  )
  const wanted = { bare: 'NotPrepared', host: 'NodeDNS', 'node-dns': 'NodeDNS', unread: 'ConfigMapUnread' }
  for (const [name, reason] of Object.entries(wanted)) {
    const { type, message } = await shop.untilEvent(name, reason)
    t.equal(type, 'Warning', name)
    t.match(message, /: (add|set|apply) /, `${name}: what to do`)
  }
  t.match((await shop.untilEvent('bare', 'NotPrepared')).message, /lacks the variable ZONE_RESOLVERS/)
  t.strictSame(await shop.events('fine'), [])
  await cluster.until('they are counted', async () => {
    const counts = { NotPrepared: 1, NodeDNS: 2, ConfigMapUnread: 1, Prepared: 1 }
    const lines = Object.entries(counts).map(
      ([state, n]) => `zonefirst_annotator_proxies{state="${state}"} ${n}`,
    )
    const text = await leaderMetrics(cluster)
    return lines.every((line) => text.includes(line))
  })
})
