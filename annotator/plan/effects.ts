// Pure: what a HAProxy's statistics say about whether routing by zone has its effect there.

export interface BackendServers {
  /** that are up */
  active: number
  backup: number
}

/** Servers by backend, from Prometheus text that holds the two counts. */
export function backendServers(metrics: string): ReadonlyMap<string, BackendServers> {
  const backends = new Map<string, BackendServers>()
  const line = /^haproxy_backend_(active|backup)_servers\{proxy="([^"]+)"\} (\d+)/gm
  for (const [, kind, backend = '', count] of metrics.matchAll(line)) {
    const servers = backends.get(backend) ?? { active: 0, backup: 0 }
    backends.set(backend, { ...servers, [kind as keyof BackendServers]: Number(count) })
  }
  return backends
}

/**
 * With effect, all of the controller's own servers are backup. Where nothing is up, or the backend isn't there (an
 * Ingress that is being replaced), nothing can be said.
 */
export function lacksEffect(servers: BackendServers | undefined): boolean {
  return servers !== undefined && servers.active > 0 && servers.backup === 0
}
