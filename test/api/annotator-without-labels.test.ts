// An API server that drops the labels of Bindings, as versions before 1.35 do: the webhook's stamp comes without the
// label that selectors need, and the annotator adds it.
import '../cluster/enter.ts'
import t from 'tap'
import { servesLabel, zoneAnnotation, zoneKeyAnnotation } from '../../lib/names.ts'
import { startCluster } from '../cluster/cluster.ts'
import { deployment, ingress, openShop, service } from '../scenario/shop.ts'
import { stampOf, untilServing } from '../scenario/webhook-cluster.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startCluster({
  zones: ['a', 'b'],
  featureGates: { PodTopologyLabelsAdmission: false },
})
t.teardown(() => cluster.stop())
await installZonefirst(cluster)
await untilServing(cluster)

t.test('pods that the scheduler bound serve their zone all the same', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(deployment('web', 4, ['a', 'b']), service('web'), ingress('web'))
  const pods = await cluster.until('four pods serve a zone', async () => {
    const found = await shop.pods(`app=web,${servesLabel}`)
    return found.length === 4 && found
  })
  t.equal((await shop.untilServers('web')).name, 'web-in')
  for (const pod of pods) {
    const zone = pod.spec?.nodeName === 'node-a-1' ? 'a' : 'b'
    t.strictSame(stampOf(pod), { zone, key: zone, serves: zone })
    const labels = pod.metadata?.labels ?? {}
    t.notOk('topology.kubernetes.io/zone' in labels, 'the API server itself labels nothing')
    const fields = pod.metadata?.managedFields?.find(
      ({ manager }) => manager === 'zonefirst-annotator',
    )?.fieldsV1
    t.match(
      fields,
      { 'f:metadata': { 'f:labels': { [`f:${servesLabel}`]: {} } } },
      'the label is the annotator’s',
    )
    for (const annotation of [zoneAnnotation, zoneKeyAnnotation])
      t.notMatch(JSON.stringify(fields), `"f:${annotation}"`, 'the annotations are not')
  }
  for (const zone of ['a', 'b']) {
    const here = pods.filter(({ spec }) => spec?.nodeName === `node-${zone}-1`)
    const names = here.map(({ metadata }) => metadata?.name).sort()
    await cluster.until(`web-in-${zone} holds the pods of its zone`, async () => {
      return (await shop.endpoints(`web-in-${zone}`)).join() === names.join()
    })
  }
})
