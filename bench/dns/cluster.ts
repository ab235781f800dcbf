// A control plane with one zonal Service, whose pods exist by name: what HAProxy hears of by DNS is real, and made to change
// by changing pods.
import { servesLabel } from '../../lib/names.ts'
import { until } from '../../test/cluster/until.ts'
import { type LargeCluster, startLargeCluster } from '../annotator/cluster.ts'
import { namesOf, type PodSketch, podsOf } from '../annotator/objects.ts'

export const zone = 'a'
export const { namespace, name } = namesOf(0)
const podsIn = (each: string) => podsOf(0).filter(({ node }) => node.startsWith(`node-${each}-`))
/** Of the zone: one that stays, one that comes and goes. */
export const [staying, moving] = podsIn(zone) as [PodSketch, PodSketch]
/** Of another zone. It is in no Service. */
export const [remote] = podsIn('b') as [PodSketch]

/** Only the pod that stays is there. */
export async function startZonalService(): Promise<LargeCluster> {
  const cluster = await startLargeCluster()
  const create = (path: string, body: object) => cluster.kube.request({ method: 'POST', path, body })
  await create('/api/v1/namespaces', { metadata: { name: namespace } })
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
  await until('there is an account', () => cluster.kube.request({ method: 'GET', path: account }))
  await create(`/api/v1/namespaces/${namespace}/services`, {
    metadata: { name: `${name}-in-${zone}`, namespace },
    spec: {
      clusterIP: 'None',
      selector: { 'app.kubernetes.io/name': name, [servesLabel]: zone },
      ports: [{ name: 'http', port: 80, targetPort: 8080 }],
    },
  })
  await cluster.createPod(staying)
  await cluster.setStatus(staying, true)
  return cluster
}
