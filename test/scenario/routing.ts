// What the HAProxies themselves say of a Service's backend, and waiting until it is as it should be.
import { isUp } from '../../cli/haproxy-stats.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { namespace, type ServiceName } from './application.ts'
import { readServers, readWorkerStart, type ServerStats } from './haproxy-stats.ts'
import { statsPort } from './proxies.ts'
import { type ReadyProxy, readyProxies } from './traffic.ts'

export interface Backend {
  proxy: ReadyProxy
  /** ms; changes with each reload */
  workerStart: number
  /** the slots that the controller fills, those with an address that is up */
  controllers: ServerStats[]
  /** the template's servers that are up */
  local: ServerStats[]
}

/** Each controller names its backends in its own way. */
export function isBackendOf(service: ServiceName, backend: string): boolean {
  return [`${namespace}_svc_${service}_http`, `${namespace}_${service}_http`].includes(backend)
}

export async function readBackend(proxy: ReadyProxy, service: ServiceName): Promise<Backend> {
  const address = `${proxy.address}:${statsPort}`
  const [workerStart, all] = await Promise.all([readWorkerStart(address), readServers(address)])
  const servers = all.filter((each) => isBackendOf(service, each.backend) && isUp(each))
  const isLocal = ({ server }: ServerStats) => server.startsWith('local-')
  return {
    proxy,
    workerStart,
    controllers: servers.filter((each) => !isLocal(each)),
    local: servers.filter(isLocal),
  }
}

export async function readBackends(cluster: Cluster, service: ServiceName): Promise<Backend[]> {
  const proxies = await readyProxies(cluster)
  return Promise.all(proxies.map((proxy) => readBackend(proxy, service)))
}

/** When each HAProxy last took a configuration anew: the same as before where none was reloaded. */
export function workerStarts(backends: readonly Backend[]): string[] {
  return backends.map(({ proxy, workerStart }) => `${proxy.pod} ${workerStart}`).sort()
}

/** Waits until every zone's HAProxy serves `pods` of the controller's own and `local` of the template's. */
export function untilServed(
  cluster: Cluster,
  service: ServiceName,
  want: { proxies: number; pods: number; local: number },
): Promise<Backend[]> {
  const description = `${want.proxies} HAProxies have ${want.pods} servers of the controller's and ${want.local} of the template's up for ${service}`
  return cluster.until(
    description,
    async () => {
      const backends = await readBackends(cluster, service)
      const isRight = ({ controllers, local }: Backend) =>
        controllers.length === want.pods && local.length === want.local
      if (backends.length === want.proxies && backends.every(isRight)) return backends
      const seen = backends.map(
        ({ proxy, controllers, local }) => `${proxy.zone}: ${controllers.length}+${local.length}`,
      )
      throw new Error(seen.join(', ') || 'no HAProxy is ready')
    },
    { timeoutMs: 90_000, intervalMs: 200 },
  )
}
