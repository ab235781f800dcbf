// The whole system for end-to-end tests: a cluster of three zones with an ingress controller in each, zonefirst as its
// users install it, and the application, opted in. What a test changes, the next one sets as it needs it.
import type { Test } from 'tap'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import { runCommand } from '../cluster/command.ts'
import { type ApplicationOptions, application } from '../scenario/application.ts'
import { type ProxyOptions, proxies, proxyNamespace, proxyProgram } from '../scenario/proxies.ts'
import { type Backend, untilServed } from '../scenario/routing.ts'
import { sendFromEveryZone, type Traffic } from '../scenario/traffic.ts'
import { type InstallOptions, installValidationRules, installZonefirst } from '../scenario/zonefirst.ts'

export const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'] as const

export const program = proxyProgram(process.env)

export interface SystemOptions {
  install?: InstallOptions
  app?: Partial<ApplicationOptions>
}

/** It ends with the test; says which ingress controller and which HAProxy it uses. */
export async function startSystem(t: Test, { install, app }: SystemOptions = {}): Promise<Cluster> {
  const haproxy = process.env.HAPROXY ?? 'haproxy'
  const version = /\d+\.\d+\.\d+/.exec(await runCommand([haproxy, '-v']))?.[0]
  t.comment(`ingress controller: ${program.name}, HAProxy ${version}`)
  const cluster = await startCluster({ zones })
  t.teardown(() => cluster.stop())
  await installValidationRules(cluster, program)
  await installZonefirst(cluster, {
    ...install,
    annotatorEnv: { ZONEFIRST_GRACE_TIME: '5s', ZONEFIRST_RELEASE_TIME: '5s', ...install?.annotatorEnv },
  })
  // in this order: what changes just as the real controller reloads HAProxy may never reach the new worker
  await runApplication(cluster, app)
  await runProxies(cluster)
  return cluster
}

/** Changes the ingress controllers' command line or environment, and waits until they run with it. */
export async function runProxies(
  cluster: Cluster,
  options: Pick<ProxyOptions, 'without' | 'empty' | 'flags'> = {},
): Promise<void> {
  const { kubeconfig } = cluster
  const haproxy = process.env.HAPROXY ?? 'haproxy'
  await cluster.apply(proxies({ program, haproxy, kubeconfig, ...options }))
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

/** Small requests from every zone to its own ingress controller. */
export function send(cluster: Cluster, service: 'web' | 'plain' = 'web', requests = 60): Promise<Traffic> {
  return sendFromEveryZone(cluster, service, { path: '/', requests, connections: 4, timeout: 10_000 })
}

/** Steady requests from every zone for as long as `work` takes: how many, and what failed. */
export async function sendDuring(
  cluster: Cluster,
  work: () => Promise<unknown>,
): Promise<{ requests: number; failures: Record<string, number> }> {
  const rate = 30
  const total = { requests: 0, failures: {} as Record<string, number> }
  let isOver = false
  const sending = (async () => {
    while (!isOver) {
      const load = { path: '/slow/20', requests: rate * 3, rate, connections: 20, timeout: 10_000 }
      const { requests, zones } = await sendFromEveryZone(cluster, 'web', load)
      total.requests += requests
      for (const [failure, count] of zones.flatMap((each) => Object.entries(each.failures))) {
        total.failures[failure] = (total.failures[failure] ?? 0) + count
      }
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await sending
  }
  return total
}
