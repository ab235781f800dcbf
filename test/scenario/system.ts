// The whole system for end-to-end tests and benchmarks: a cluster of three zones with an ingress controller in each,
// zonefirst as its users install it, and the application, opted in.
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import { runCommand } from '../cluster/command.ts'
import { type ApplicationOptions, application } from './application.ts'
import { type ProxyOptions, proxies, proxyNamespace, proxyProgram } from './proxies.ts'
import { type Backend, untilServed } from './routing.ts'
import { type InstallOptions, installValidationRules, installZonefirst } from './zonefirst.ts'

export const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'] as const

export const program = proxyProgram(process.env)
const haproxy = process.env.HAPROXY ?? 'haproxy'

export interface SystemOptions {
  install?: InstallOptions
  app?: Partial<ApplicationOptions>
}

/** Which ingress controller and which HAProxy are used, for results. */
export async function programs(): Promise<{ ingressController: string; haproxy: string }> {
  const version = /\d+\.\d+\.\d+/.exec(await runCommand([haproxy, '-v']))?.[0] ?? 'unknown'
  return { ingressController: program.name, haproxy: version }
}

/** Resolves when everything runs; what fails on the way ends the cluster. */
export async function startSystem({ install, app }: SystemOptions = {}): Promise<Cluster> {
  const cluster = await startCluster({ zones })
  try {
    await installValidationRules(cluster, program)
    await installZonefirst(cluster, install)
    // in this order: what changes just as the real controller reloads HAProxy may never reach the new worker
    await runApplication(cluster, app)
    await runProxies(cluster)
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** Changes the ingress controllers' command line or environment, and waits until they run with it. */
export async function runProxies(
  cluster: Cluster,
  options: Pick<ProxyOptions, 'without' | 'empty' | 'flags' | 'isPrepared'> = {},
): Promise<void> {
  const { kubeconfig } = cluster
  await cluster.apply(proxies({ program, haproxy, kubeconfig, ...options }))
  await cluster.kubectl('-n', proxyNamespace, 'rollout', 'status', 'daemonset', '--timeout=90s')
}

/** New pods of the ingress controllers, which take their zones from stamps of their own. */
export async function restartProxies(cluster: Cluster): Promise<void> {
  await cluster.kubectl('-n', proxyNamespace, 'rollout', 'restart', 'daemonset')
  await cluster.kubectl('-n', proxyNamespace, 'rollout', 'status', 'daemonset', '--timeout=90s')
}

/** Six pods, opted in, unless said otherwise. */
export async function runApplication(cluster: Cluster, app: Partial<ApplicationOptions> = {}): Promise<void> {
  await cluster.apply(application({ replicas: 6, optedIn: true, ...app }))
  await cluster.kubectl('rollout', 'status', 'deployment/web', '--timeout=90s')
}

/** Until every zone's HAProxy has all pods as the controller's servers, and its share of them as local ones. */
export function untilRouted(cluster: Cluster, pods = 6, local = pods / zones.length): Promise<Backend[]> {
  return untilServed(cluster, 'web', { proxies: zones.length, pods, local })
}
