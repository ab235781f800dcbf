// Pods come and go: what happens to every application, and much of it at once.
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Pod } from '@kubernetes/client-node'
import { zoneKeyAnnotation } from '../../../lib/names.ts'
import { keepAlive, type NodeSketch, registerNode } from '../../../test/cluster/nodes.ts'
import { onBothSides, restart, scale, shrink } from '../acts.ts'
import type { Fault } from '../fault.ts'
import { applicationOf } from '../sides.ts'
import { applicationPods, runApplication, type System, zones } from '../system.ts'

const about = 'pods'
const crowd = 'crowd'
const crowdSize = 1_000
/** A Node has room for 250 pods. Nobody starts those of these Nodes: so many processes would only be in the way. */
const crowdNodes: NodeSketch[] = [0, 1, 2, 3].map((index) => ({
  name: `node-${crowd}-${index}`,
  zone: zones[index % zones.length] ?? '',
  address: `10.90.9.${index + 1}`,
}))
let crowdEnds: AbortController | undefined

export const podFaults: Fault[] = [
  { name: 'rolling-restart', title: 'a rolling restart', about, inject: restart },
  {
    name: 'blue-green',
    title: 'the Service’s selector is switched to another Deployment’s pods, and back',
    about,
    seconds: 3,
    async inject({ cluster, pods }) {
      await onBothSides(async (side) => {
        const green = applicationOf(side, { colour: 'green' })
        await cluster.apply(green.filter(({ kind }) => kind === 'Deployment'))
        const status = ['rollout', 'status', 'deployment/web-green', '--timeout=90s']
        await cluster.kubectl('-n', side.namespace, ...status)
        await cluster.apply(green)
        await cluster.until('it has its pods', () => applicationPods(pods, side).length === 12)
      })
      // as people do, who look whether it works before they take the other ones away
      await pause(7_000)
    },
    async heal({ cluster }) {
      await onBothSides((side) => runApplication(cluster, side))
      await pause(7_000)
      await onBothSides(({ namespace }) =>
        cluster.kubectl('-n', namespace, 'delete', '--ignore-not-found', 'deployment/web-green'),
      )
    },
  },
  {
    name: 'scaled-3-12-3',
    title: 'scaled to 3 pods, to 12 and to 3 again',
    about,
    async inject(system) {
      for (const count of [3, 12, 3]) await scale(system, count)
    },
    heal: shrink,
  },
  {
    name: 'all-pods-replaced',
    title: 'all pods of the application deleted at once',
    about,
    async inject({ cluster }) {
      await onBothSides(({ namespace }) =>
        cluster.kubectl('-n', namespace, 'delete', 'pod', '-l', 'app=web', '--wait=false'),
      )
    },
  },
  {
    name: 'thousand-pods',
    title: `${crowdSize} pods that opted in created at once`,
    about,
    async inject(system) {
      const { cluster } = system
      await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: crowd } })
      for (const node of crowdNodes) {
        await registerNode(cluster.kube, node)
        await cluster.kubectl('taint', '--overwrite', 'node', node.name, `only=${crowd}:NoSchedule`)
      }
      crowdEnds = new AbortController()
      keepAlive(cluster.kube, crowdNodes, crowdEnds.signal)
      await cluster.apply(crowdNodes.map(({ name }) => crowdOn(name)))
      await cluster.until('all are stamped', () => areStamped(system), {
        timeoutMs: 120_000,
        intervalMs: 1_000,
      })
    },
    async heal({ cluster }) {
      crowdEnds?.abort()
      await cluster.kubectl('-n', crowd, 'delete', 'deployment', '--all', '--cascade=orphan')
      await cluster.kubectl('-n', crowd, 'delete', 'replicaset', '--all', '--cascade=orphan')
      const path = `/api/v1/namespaces/${crowd}/pods`
      const signal = AbortSignal.timeout(60_000)
      await cluster.kube.request({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 }, signal })
      await cluster.kubectl('delete', '--ignore-not-found', `namespace/${crowd}`)
      const nodes = crowdNodes.map(({ name }) => name)
      await cluster.kubectl('delete', '--ignore-not-found', 'node', ...nodes)
    },
  },
]

function crowdOn(node: string): object {
  const selector = { crowd: node }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: node, namespace: crowd },
    spec: {
      replicas: crowdSize / crowdNodes.length,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: { ...selector, 'zonefirst.io/enabled': 'true' } },
        spec: {
          automountServiceAccountToken: false,
          nodeSelector: { 'kubernetes.io/hostname': node },
          tolerations: [{ operator: 'Exists' }],
          containers: [{ name: 'none', image: 'none', command: ['sleep', 'infinity'] }],
        },
      },
    },
  }
}

async function areStamped({ cluster }: System): Promise<boolean> {
  const path = `/api/v1/namespaces/${crowd}/pods`
  const { items } = await cluster.kube.request<{ items: V1Pod[] }>({ method: 'GET', path })
  const stamped = items.filter(({ metadata }) => metadata?.annotations?.[zoneKeyAnnotation] !== undefined)
  if (stamped.length < crowdSize) throw new Error(`${stamped.length} of ${items.length} pods are stamped`)
  return true
}
