// The two replicas of the annotator as the manifests install them: one leads, and another takes over when that one is
// asked to go, or finds that it leads no more.
import '../cluster/enter.ts'
import t from 'tap'
import type { Lease } from '../../annotator/leader/lease-record.ts'
import { startCluster } from '../cluster/cluster.ts'
import { ingress, openShop, pod, service } from '../scenario/shop.ts'
import { annotatorMetrics, annotatorPods, leads } from '../scenario/told.ts'
import { installZonefirst, systemNamespace } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
await installZonefirst(cluster)

const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases/zonefirst-annotator`
const readLease = () => cluster.kube.request<Lease>({ method: 'GET', path: leasePath })
const holder = async () => (await readLease()).spec?.holderIdentity

/** Names of the replicas that say of themselves that they lead. */
async function leaders(): Promise<string[]> {
  return [...(await annotatorMetrics(cluster))].filter(([, text]) => leads(text)).map(([name]) => name)
}

const untilOneLeads = (isRight: (name: string) => boolean) =>
  cluster.until(
    'one leads',
    async () => {
      const [leader, ...others] = await leaders()
      return leader !== undefined && others.length === 0 && isRight(leader) && leader
    },
    { timeoutMs: 60_000 },
  )

t.test('both are ready, in different zones, one of them leads, and the Lease has its name', async (t) => {
  const leader = await untilOneLeads(() => true)
  t.equal(await holder(), leader)
  const pods = await annotatorPods(cluster)
  t.equal(pods.length, 2)
  for (const { metadata, status } of pods) {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    t.equal(ready?.status, 'True', metadata?.name ?? '')
  }
  t.equal(new Set(pods.map(({ spec }) => spec?.nodeName)).size, 2)
})

t.test('when the leader is told to go, the other one takes over and goes on', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  await shop.untilServers('web')
  const before = await shop.versions('web')
  const old = await untilOneLeads(() => true)
  const acquired = (await readLease()).spec?.acquireTime
  await cluster.kubectl('-n', systemNamespace, 'delete', 'pod', old)
  await cluster.until('another one holds it, long before its time would be over', async () => {
    const name = await holder()
    return name !== old && name !== ''
  })
  const { spec } = await readLease()
  t.not(spec?.acquireTime, acquired)
  await shop.untilCaughtUp('node-a-1')
  t.strictSame(await shop.versions('web'), before, 'and writes nothing that is there')
})

t.test('a leader whose Lease is stolen writes no more, and its process ends', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  await shop.untilServers('web')
  const old = await untilOneLeads(() => true)
  const lease = await cluster.until('the Lease is stolen', async () => {
    const { apiVersion, kind, metadata, spec } = await readLease()
    const stolen = { ...spec, holderIdentity: 'thief', leaseDurationSeconds: 20 }
    const body = { apiVersion, kind, metadata, spec: stolen }
    return cluster.kube.request<Lease>({ method: 'PUT', path: leasePath, body })
  })
  await cluster.until('its container has started again', async () => {
    const found = (await annotatorPods(cluster)).find(({ metadata }) => metadata?.name === old)
    return (found?.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0
  })
  await shop.kubectl('delete', 'service/web-in-a')
  t.strictSame(await leaders(), [], 'nobody leads')
  await cluster.until('somebody holds it again', async () => (await holder()) !== 'thief', {
    timeoutMs: 60_000,
  })
  const again = await cluster.until('what was missing is there', () => shop.service('web-in-a'))
  const since = Date.parse(lease.spec?.renewTime ?? '')
  const createdAt = new Date(again.metadata.creationTimestamp ?? 0).getTime()
  t.ok(createdAt - since >= 15_000, 'but only after the thief’s time')
})
