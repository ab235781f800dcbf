// The ingress controllers are reloaded, killed and moved.
import { setTimeout as pause } from 'node:timers/promises'
import { onBothSides, pick } from '../acts.ts'
import type { Fault } from '../fault.ts'
import { nodesOf, readyProxies, zoneOfNode, zones } from '../system.ts'

const about = 'ingress controllers'
const snippet = 'haproxy.org/backend-config-snippet'
let struckZone = ''

export const proxyFaults: Fault[] = [
  {
    name: 'haproxy-reloaded',
    title: 'every HAProxy reloaded five times in ten seconds, by changes of the user’s own snippet',
    about,
    async inject({ cluster }) {
      for (let time = 1; time <= 5; time++) {
        const text = `http-response set-header x-time ${time}`
        await onBothSides(({ namespace }) =>
          cluster.kubectl('-n', namespace, 'annotate', '--overwrite', 'service/web', `${snippet}=${text}`),
        )
        await pause(2_000)
      }
    },
    heal: ({ cluster }) =>
      onBothSides(({ namespace }) =>
        cluster.kubectl('-n', namespace, 'annotate', 'service/web', `${snippet}-`),
      ),
  },
  {
    name: 'controller-moved',
    title: 'an ingress controller killed, and scheduled again in another zone',
    about,
    seconds: 5,
    async inject(system) {
      const { cluster, pods } = system
      struckZone = pick(system, zones)
      await cluster.kubectl('cordon', ...nodesOf(struckZone))
      await onBothSides(async (side) => {
        const here = readyProxies(pods, side).find(({ zone }) => zone === struckZone)
        const quickly = ['--force', '--grace-period=0', '--wait=false']
        await cluster.kubectl('-n', side.proxyNamespace, 'delete', 'pod', here?.name ?? '', ...quickly)
        await cluster.until('it runs elsewhere', () => {
          const ready = readyProxies(pods, side)
          return ready.length === zones.length && ready.every(({ zone }) => zone !== struckZone)
        })
      })
    },
    async heal({ cluster, pods }) {
      await cluster.kubectl('uncordon', ...nodesOf(struckZone))
      await onBothSides(async (side) => {
        const all = readyProxies(pods, side)
        const moved = all.find(({ node }, index) => {
          return all.slice(0, index).some((other) => zoneOfNode(other.node) === zoneOfNode(node))
        })
        if (moved) await cluster.kubectl('-n', side.proxyNamespace, 'delete', 'pod', moved.name)
      })
    },
  },
]
