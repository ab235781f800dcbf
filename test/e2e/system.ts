// The whole system for one test file. What a test changes, the next one sets as it needs it.
import type { Test } from 'tap'
import type { Cluster } from '../cluster/cluster.ts'
import type { Backend } from '../scenario/routing.ts'
import * as system from '../scenario/system.ts'
import { outcomeOf, sendFromEveryZone, sendWhile, type Traffic } from '../scenario/traffic.ts'

export {
  program,
  restartProxies,
  runApplication,
  runProxies,
  untilRouted,
  zones,
} from '../scenario/system.ts'

/** It ends with the test; says which ingress controller and which HAProxy it uses. */
export async function startSystem(t: Test, options: system.SystemOptions = {}): Promise<Cluster> {
  const { ingressController, haproxy } = await system.programs()
  t.comment(`ingress controller: ${ingressController}, HAProxy ${haproxy}`)
  const quick = { ZONEFIRST_GRACE_TIME: '5s', ZONEFIRST_RELEASE_TIME: '5s' }
  const { install } = options
  const annotatorEnv = { ...quick, ...install?.annotatorEnv }
  const cluster = await system.startSystem({ ...options, install: { ...install, annotatorEnv } })
  t.teardown(() => cluster.stop())
  return cluster
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
  const load = { path: '/slow/20', rate: 30, connections: 20, timeout: 10_000 }
  const [traffic] = await sendWhile(cluster, ['web'], load, work)
  return outcomeOf(traffic)
}

/** That servers of the own zone are normal, and the controller's all backup. */
export function assertByZone(t: Test, backends: readonly Backend[]): void {
  for (const { proxy, controllers, local } of backends) {
    t.ok(
      controllers.every(({ isActive, isBackup }) => isBackup && !isActive),
      `${proxy.zone}: all of the controller's servers are backup`,
    )
    t.ok(
      local.every(({ isActive, isBackup }) => isActive && !isBackup),
      `${proxy.zone}: all local ones are active`,
    )
  }
}
