// Whether the HAProxies of both sides serve what they should: all ready pods as the controller's own servers, and with
// zonefirst these as backups behind the pods that serve HAProxy's zone.
import { servesLabel } from '../../lib/names.ts'
import { zoneKey } from '../../lib/zone.ts'
import { readServers, type ServerStats } from '../../test/scenario/haproxy-stats.ts'
import { statsPort } from '../../test/scenario/proxies.ts'
import type { Placed } from './pods.ts'
import { alone, type Side, sides } from './sides.ts'
import { applicationPods, readyProxies, type System } from './system.ts'

const appPort = 8080
const isUp = ({ status }: ServerStats) => status.startsWith('UP') || status === 'no check'

export async function wrongWithServers({ pods }: System): Promise<string[]> {
  const checks = sides.flatMap((side) => {
    const ready = applicationPods(pods, side).filter(({ isReady, isLeaving }) => isReady && !isLeaving)
    return readyProxies(pods, side).map(async (proxy) => {
      const servers = await readServers(`${proxy.address}:${statsPort}`)
      return wrongInBackend(servers, { side, zone: proxy.zone, ready })
    })
  })
  return (await Promise.all(checks)).flat()
}

export interface BackendOptions {
  side: Side
  zone: string
  ready: readonly Placed[]
}

/** Pure. */
export function wrongInBackend(
  servers: readonly ServerStats[],
  { side, zone, ready }: BackendOptions,
): string[] {
  const backends = [`${side.namespace}_svc_web_http`, `${side.namespace}_web_http`]
  const up = servers.filter((server) => backends.includes(server.backend) && isUp(server))
  const isLocal = ({ server }: ServerStats) => server.startsWith('local-')
  const own = up.filter((server) => !isLocal(server))
  const serving = ready.filter(({ labels }) => side !== alone && labels[servesLabel] === zoneKey(zone))
  const where = `HAProxy ${side.name} in ${zone}`
  const wrong = [
    ...differ(`${where}: the controller's servers`, own, ready),
    ...differ(`${where}: local servers`, up.filter(isLocal), serving),
  ]
  const misplaced = own.filter(({ isBackup }) => isBackup === (side === alone))
  if (misplaced.length > 0) wrong.push(`${where}: ${misplaced.length} servers with the wrong backup flag`)
  return wrong
}

function differ(what: string, servers: readonly ServerStats[], pods: readonly Placed[]): string[] {
  const [has, wants] = [
    servers.map(({ address }) => address).sort(),
    pods.map(({ address }) => `${address}:${appPort}`).sort(),
  ]
  return has.join() === wants.join() ? [] : [`${what} are ${has.join(' ')} instead of ${wants.join(' ')}`]
}
