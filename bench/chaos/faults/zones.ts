// Zones, Nodes and the pods in them are lost.
import type { PodRef } from '../../../test/cluster/kubelet.ts'
import { onBothSides, pick } from '../acts.ts'
import type { Fault } from '../fault.ts'
import type { Placed } from '../pods.ts'
import { sides } from '../sides.ts'
import { applicationPods, nodesOf, type System, zones } from '../system.ts'

const about = 'zones'
let struckZone = ''
let lost: PodRef[] = []

async function lose({ cluster }: System, pods: readonly Placed[]): Promise<void> {
  lost = pods.map(({ namespace, name }) => ({ metadata: { namespace, name } }))
  await cluster.kubelet.vanish(lost)
}
const restore = ({ cluster }: System) => cluster.kubelet.restore(lost)

export const zoneFaults: Fault[] = [
  {
    name: 'zone-cut-off',
    title: 'a zone cut off the network of the other zones for 15 s',
    about,
    seconds: 15,
    async inject(system) {
      struckZone = pick(system, zones)
      await system.cluster.network.cut(struckZone)
    },
    heal: ({ cluster }) => cluster.network.heal(struckZone),
  },
  {
    name: 'zone-lost',
    title: 'all pods of the application in a zone vanish without a sign for 10 s',
    about,
    seconds: 10,
    async inject(system) {
      struckZone = pick(system, zones)
      const all = sides.flatMap((side) => applicationPods(system.pods, side))
      await lose(
        system,
        all.filter(({ zone }) => zone === struckZone),
      )
    },
    heal: restore,
  },
  {
    name: 'node-lost',
    title: 'a Node lost without a sign for 10 s, with all of its pods, zonefirst’s among them',
    about,
    seconds: 10,
    async inject(system) {
      // the other one has the ingress controllers, without which nothing can be asked on either side
      const node = nodesOf(pick(system, zones))[1]
      await lose(
        system,
        system.pods.all().filter((pod) => pod.node === node && !pod.isLeaving),
      )
    },
    heal: restore,
  },
  {
    name: 'zone-drained',
    title: 'a zone drained of all pods of the application, which have nowhere to go until it is opened again',
    about,
    seconds: 3,
    async inject(system) {
      struckZone = pick(system, zones)
      const { cluster, pods } = system
      await cluster.kubectl('cordon', ...nodesOf(struckZone))
      await onBothSides(async (side) => {
        const here = applicationPods(pods, side).filter(({ zone }) => zone === struckZone)
        await cluster.kubectl('-n', side.namespace, 'delete', 'pod', ...here.map(({ name }) => name))
      })
    },
    heal: async ({ cluster }) => void (await cluster.kubectl('uncordon', ...nodesOf(struckZone))),
  },
  {
    name: 'one-pod-left',
    title: 'five of six pods vanish without a sign for 10 s',
    about,
    seconds: 10,
    async inject(system) {
      // of the same place on both sides
      const left = pick(system, zones.flatMap(nodesOf))
      const all = sides.flatMap((side) => applicationPods(system.pods, side))
      await lose(
        system,
        all.filter(({ node }) => node !== left),
      )
    },
    heal: restore,
  },
]
