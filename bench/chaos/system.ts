// The system that faults strike: one cluster of three zones with two Nodes each, both sides in it, zonefirst installed as
// its users do, and load on every ingress controller. What people and faults do with it is in people.ts and faults/.
import { type Cluster, startCluster } from '../../test/cluster/cluster.ts'
import { nameNodes } from '../../test/cluster/nodes.ts'
import { proxyProgram } from '../../test/scenario/proxies.ts'
import { installValidationRules, installZonefirst } from '../../test/scenario/zonefirst.ts'
import { type Audit, prepareAudit } from './audit.ts'
import { Pods } from './pods.ts'
import { alone, applicationOf, proxiesOf, type Side, sides, withZonefirst } from './sides.ts'
import { SteadyLoad } from './steady-load.ts'

export const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'] as const
const nodes = nameNodes(zones, 2)
export const zoneOfNode = (name: string) => nodes.find((node) => node.name === name)?.zone ?? ''
export const nodesOf = (zone: string) => nodes.filter((node) => node.zone === zone).map(({ name }) => name)
/** Where the ingress controllers are to run. */
export const proxyNodes = zones.map((zone) => nodesOf(zone)[0] ?? '')

export interface System {
  cluster: Cluster
  pods: Pods
  load: SteadyLoad
  audit: Audit
  /** between 0 and 1, the same for the same seed */
  random: () => number
  stop(): Promise<void>
}

export interface SystemOptions {
  /** requests a second to each ingress controller */
  rate: number
  random: () => number
  env: NodeJS.ProcessEnv
}

export async function startChaosSystem({ rate, random, env }: SystemOptions): Promise<System> {
  const audit = prepareAudit()
  const cluster = await startCluster({ zones, nodesPerZone: 2, apiServerFlags: audit.flags })
  try {
    await installValidationRules(cluster, proxyProgram(env))
    await install(cluster)
    await Promise.all(sides.map((side) => runApplication(cluster, side)))
    await Promise.all(sides.map((side) => runProxies(cluster, side, env)))
  } catch (error) {
    await cluster.stop()
    throw error
  }
  const load = new SteadyLoad(cluster, { rate, path: '/slow/20', timeout: 5_000 })
  const pods = new Pods(cluster.kube, zoneOfNode, () => {
    load.aim({ zonefirst: readyProxies(pods, withZonefirst), alone: readyProxies(pods, alone) })
  })
  await pods.start()
  return {
    cluster,
    pods,
    load,
    audit,
    random,
    async stop() {
      pods.stop()
      await load.stop()
      await cluster.stop()
    },
  }
}

/** Waiting times are short, so that a run is. */
export function install(cluster: Cluster): Promise<void> {
  const annotatorEnv = { ZONEFIRST_GRACE_TIME: '5s', ZONEFIRST_RELEASE_TIME: '5s' }
  return installZonefirst(cluster, { annotatorEnv })
}

export async function runApplication(cluster: Cluster, side: Side): Promise<void> {
  await cluster.apply(applicationOf(side))
  await cluster.kubectl('-n', side.namespace, 'rollout', 'status', 'deployment/web-blue', '--timeout=90s')
}

async function runProxies(cluster: Cluster, side: Side, env: NodeJS.ProcessEnv): Promise<void> {
  const { kubeconfig } = cluster
  const options = { program: proxyProgram(env), haproxy: env.HAPROXY ?? 'haproxy', kubeconfig }
  await cluster.apply(proxiesOf(side, proxyNodes, options))
  const deployment = 'deployment/haproxy-kubernetes-ingress'
  await cluster.kubectl('-n', side.proxyNamespace, 'rollout', 'status', deployment, '--timeout=90s')
}

export const readyProxies = (pods: Pods, { proxyNamespace }: Side) =>
  pods.of(proxyNamespace, 'app', 'haproxy-ingress').filter(({ isReady, isLeaving }) => isReady && !isLeaving)

export const applicationPods = (pods: Pods, { namespace }: Side) => pods.of(namespace, 'app', 'web')
