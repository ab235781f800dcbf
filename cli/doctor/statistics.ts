// Pure: whether HAProxies do what is written for them: template servers there and up, the controller's beside them as
// backup alone, and the traffic spread over the zones as the load guard takes it to be.
import { keepPod } from '../../annotator/objects/objects.ts'
import { portsByBackend } from '../../annotator/plan/ports.ts'
import { isUp } from '../haproxy-stats.ts'
import type { Inspection } from '../inspection.ts'
import { zoneKeyOfNodes } from '../nodes.ts'
import type { ProxyStats } from '../proxy-stats.ts'
import type { ServiceState } from '../service-states.ts'
import { type Check, type Finding, someOf } from './finding.ts'

/** Shares that differ by more, in points, mislead the load guard. */
const mostDifference = 0.1
/** Fewer requests say nothing about shares. */
const fewestRequests = 1_000

export const unreadStatistics: Check = ({ stats = [] }) =>
  stats
    .filter(({ failure }) => failure !== undefined)
    .map(({ namespace, pod, failure }) => ({
      check: 'statistics-unread',
      severity: 'note',
      subject: `Pod ${namespace}/${pod}`,
      problem: `its HAProxy’s statistics could not be read: ${failure}`,
      fix: 'name their port by --stats-port, read them from within the cluster by --stats=direct, or ask for the permission to get pods/proxy',
    }))

export const templateServers: Check = (inspection) =>
  inspection.states
    .filter(({ mode }) => mode === 'zonal')
    .flatMap((state) => {
      const found = portsByBackend(state.input, inspection.installation.dialect.words)
      const backends = 'ports' in found ? Object.keys(found.ports) : []
      return backends.flatMap((backend) => findingsOf(inspection, state, backend))
    })

interface Seen {
  pod: string
  key: string | undefined
  local: ProxyStats['servers']
  others: ProxyStats['servers']
}

function findingsOf(inspection: Inspection, state: ServiceState, backend: string): Finding[] {
  const zones = zonesOfProxies(inspection)
  const seen = (inspection.stats ?? [])
    .filter(({ failure }) => failure === undefined)
    .map(({ namespace, pod, uid, servers }): Seen => {
      const own = servers.filter((each) => each.backend === backend)
      return {
        pod: `${namespace}/${pod}`,
        key: zones.get(uid),
        local: own.filter(({ server }) => server.startsWith('local-')),
        others: own.filter(({ server }) => !server.startsWith('local-')),
      }
    })
  const subject = `Service ${state.key}`
  const named = (proxies: readonly Seen[]) => someOf(proxies.map(({ pod }) => pod))
  const findings: Finding[] = []
  const without = seen.filter(({ local }) => local.length === 0)
  if (without.length > 0) {
    findings.push({
      check: 'template-missing',
      severity: 'error',
      subject,
      problem: `its backend ${backend} has no servers of the zone in the HAProxy of ${named(without)}`,
      fix: 'see the ValidationRules, the variables ZONE and ZONE_RESOLVERS (other findings), and the ingress controller’s log for "unable to"',
    })
  }
  const active = seen.filter(
    ({ local, others }) => local.length > 0 && others.some((each) => each.isActive && !each.isBackup),
  )
  if (active.length > 0) {
    findings.push({
      check: 'active-beside-template',
      severity: 'error',
      subject,
      problem: `its backend ${backend} takes servers of all zones as normal ones in the HAProxy of ${named(active)}`,
      fix: 'take out what else sets servers, backup or default-server in that backend: snippets on Ingresses or in the ConfigMap',
    })
  }
  const down = seen.filter(({ local, key }) => {
    const serving = state.zones.find((zone) => zone.key === key)?.serving ?? 0
    return serving > 0 && local.length > 0 && !local.some(isUp)
  })
  if (down.length > 0) {
    findings.push({
      check: 'template-down',
      severity: 'error',
      subject,
      problem: `its zone’s pods are down, or not found, for the HAProxy of ${named(down)}, so all zones serve`,
      fix: `see that their names resolve from there (${state.input.zonalServices[0]?.metadata.name ?? 'the zonal Service'}…), and that pods can be reached`,
    })
  }
  return findings
}

/** Counters since each HAProxy's last reload, against what the load guard reckons with. */
export const zoneShares: Check = (inspection) => {
  // a part of the traffic says nothing about the whole
  if (inspection.stats?.some(({ failure }) => failure !== undefined)) return []
  const zones = zonesOfProxies(inspection)
  const requests = new Map<string, number>()
  for (const { uid, servers } of inspection.stats ?? []) {
    const key = zones.get(uid)
    if (key === undefined) continue
    const sum = servers.reduce((total, server) => total + server.requests, 0)
    requests.set(key, (requests.get(key) ?? 0) + sum)
  }
  const all = [...requests.values()].reduce((total, each) => total + each, 0)
  const assumed = inspection.states.find(({ input }) => input.shares)?.input.shares
  if (assumed === undefined || all < fewestRequests) return []
  const keys = new Set([...assumed.keys(), ...requests.keys()])
  const off = [...keys]
    .map((key) => ({ key, seen: (requests.get(key) ?? 0) / all, taken: assumed.get(key) ?? 0 }))
    .filter(({ seen, taken }) => Math.abs(seen - taken) >= mostDifference)
  if (off.length === 0) return []
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const measured = [...requests].map(([key, count]) => `${key}=${Math.round((count / all) * 100)}`).sort()
  return [
    {
      check: 'zone-shares',
      severity: 'warning',
      subject: 'Shares of the zones',
      problem: `are not as the load guard takes them to be: ${off.map(({ key, seen, taken }) => `${key} has ${percent(seen)} of the requests, not ${percent(taken)}`).join(', ')}`,
      fix: `set ZONEFIRST_ZONE_SHARES=${measured.join(',')} on the annotator, or spread proxies as the traffic is spread`,
    },
  ]
}

/** Zone keys by the proxy pod's UID, as its Node says it. */
function zonesOfProxies({ snapshot }: Inspection): Map<string, string> {
  const zones = zoneKeyOfNodes(snapshot)
  return new Map(
    snapshot.pods.map(keepPod).flatMap(({ uid, nodeName = '' }) => {
      const zone = zones.get(nodeName)
      return zone === undefined ? [] : [[uid, zone]]
    }),
  )
}
