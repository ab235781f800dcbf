// The same routing where the annotation holds the server lines themselves, as for controllers before 3.2.
import '../cluster/enter.ts'
import t from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import { workerStarts } from '../scenario/routing.ts'
import { assertByZone, runApplication, send, startSystem, untilRouted } from './system.ts'

let cluster: Cluster
t.before(async () => {
  cluster = await startSystem(t, { install: { annotatorEnv: { ZONEFIRST_DIALECT: 'haproxytech-snippet' } } })
})

t.test('traffic stays in its zone, and growth brings no reload', async (t) => {
  await runApplication(cluster)
  const before = await untilRouted(cluster)
  const { annotations } = JSON.parse(await cluster.kubectl('get', 'service', 'web', '-o', 'json')).metadata
  t.match(annotations, { 'haproxy.org/backend-config-snippet': /^# written by zonefirst\n/ })
  t.notOk('backend.zonefirst.io/servers' in annotations)
  const traffic = await send(cluster)
  t.equal(traffic.failed, 0)
  t.equal(traffic.crossedRequests, 0)

  await cluster.kubectl('scale', 'deployment/web', '--replicas=12')
  const after = await untilRouted(cluster, 12)
  t.same(workerStarts(after), workerStarts(before), 'no HAProxy was reloaded')
  assertByZone(t, after)
})
