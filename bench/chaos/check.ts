// Whether everything is as it was before any fault: what runs, what the planner wants, what the HAProxies serve, and
// that the webhook stamps.
import type { V1Deployment, V1Node, V1Pod } from '@kubernetes/client-node'
import type { Kube } from '../../lib/kube.ts'
import { zoneKeyAnnotation } from '../../lib/names.ts'
import { systemNamespace } from '../../test/scenario/zonefirst.ts'
import { wrongByPlan } from './check-plan.ts'
import { wrongWithServers } from './check-servers.ts'
import { replicas, sides, withZonefirst } from './sides.ts'
import { applicationPods, nodesOf, readyProxies, type System, zones } from './system.ts'

/** One sentence for each thing that is wrong; none: all is right. The cheapest questions come first. */
export async function findWrong(system: System): Promise<string[]> {
  const { kube } = system.cluster
  const looks = [
    () => wrongWithPods(system),
    () => wrongWithServers(system),
    () => wrongWithPrograms(kube),
    () => wrongByPlan(kube, `${withZonefirst.namespace}/web`),
    () => wrongWithWebhook(kube),
  ]
  for (const look of looks) {
    try {
      const wrong = await look()
      if (wrong.length > 0) return wrong
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  }
  return []
}

function wrongWithPods({ pods }: System): string[] {
  return sides.flatMap((side) => {
    const all = applicationPods(pods, side)
    const ready = all.filter(({ isReady, isLeaving }) => isReady && !isLeaving)
    const wrong = []
    if (ready.length !== replicas || all.length !== replicas) {
      wrong.push(`${side.name}: of ${all.length} pods are ${ready.length} ready, ${replicas} are wanted`)
    }
    const proxies = readyProxies(pods, side).map(({ zone }) => zone)
    if (proxies.sort().join() !== zones.join())
      wrong.push(`${side.name}: ready ingress controllers in ${proxies}`)
    return wrong
  })
}

/** Whether no zone has more of the application's pods than another: faults are to find the same every time. */
export function isEven({ pods }: System): boolean {
  return sides.every((side) =>
    zones.every((zone) => {
      const here = applicationPods(pods, side).filter((pod) => pod.zone === zone)
      return here.length === replicas / zones.length
    }),
  )
}

async function wrongWithPrograms(kube: Kube): Promise<string[]> {
  const list = async <T>(path: string) => (await kube.request<{ items: T[] }>({ method: 'GET', path })).items
  const deployments = await list<V1Deployment>(`/apis/apps/v1/namespaces/${systemNamespace}/deployments`)
  const nodes = await list<V1Node>('/api/v1/nodes')
  const cordoned = nodes.filter(({ spec }) => spec?.unschedulable).map(({ metadata }) => metadata?.name)
  const late = deployments.filter(({ metadata, spec, status = {} }) => {
    const counts = [status.availableReplicas, status.updatedReplicas, status.replicas]
    return status.observedGeneration !== metadata?.generation || counts.some((n) => n !== spec?.replicas)
  })
  return [
    ...(deployments.length < 3 ? [`${deployments.length} Deployments of zonefirst's instead of 3`] : []),
    ...late.map(({ metadata }) => `Deployment ${metadata?.name} is not complete`),
    ...cordoned.map((name) => `Node ${name} is cordoned`),
  ]
}

async function wrongWithWebhook(kube: Kube): Promise<string[]> {
  const namespace = withZonefirst.namespace
  const body = {
    metadata: { name: 'stamped', namespace, labels: { 'zonefirst.io/enabled': 'true' } },
    spec: { nodeName: nodesOf(zones[0])[0], containers: [{ name: 'none', image: 'none' }] },
  }
  const path = `/api/v1/namespaces/${namespace}/pods`
  const pod = await kube.request<V1Pod>({ method: 'POST', path, body, query: { dryRun: 'All' } })
  return pod.metadata?.annotations?.[zoneKeyAnnotation] ? [] : ['the webhook stamps no pods']
}
