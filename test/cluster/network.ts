// The networks of the cluster: a namespace for each zone, one link to the control plane (ctl0) and one to the other
// zones (zone0), so that zone0's counters hold exactly what crosses zones. Pods have namespaces of their own behind
// their zone's (pod-network.ts). Addresses that nobody has are silently lost, as in a real network.
import { runCommand } from './command.ts'
import { applySettings, batch, createNamespace, inNamespace } from './ip.ts'
import { createPodNetwork, type PodNetwork } from './pod-network.ts'

export const apiServerAddress = '10.96.0.1'
export const dnsAddress = '10.96.0.10'

export interface Bytes {
  sent: number
  received: number
}

export interface Network extends PodNetwork {
  readonly zones: readonly string[]
  /** The zone's own side of its link to the control plane: its nodes' address. */
  nodeAddress(zone: string): string
  /** Takes the zone off the other zones' network without a sign to either side; the control plane is still reached. */
  cut(zone: string): Promise<void>
  heal(zone: string): Promise<void>
  /** The kernel's own counters of what went between the zone and the others. */
  crossZoneBytes(zone: string): Promise<Bytes>
  /** What to put before a command so that it runs in the zone's network, in no pod. */
  enterZone(zone: string): string[]
  stop(): Promise<void>
}

interface Zone {
  number: number
  netns: string
  pods: string
  control: string
  node: string
  data: string
  bridgePort: string
  controlLink: string
  mac: { control: string; node: string; data: string }
}

/** Zones are numbered from 1: their names may hold anything. */
function numbered(number: number): Zone {
  const byte = number.toString(16).padStart(2, '0')
  return {
    number,
    netns: `zone${number}`,
    pods: `10.88.${number}.0/24`,
    control: `10.90.${number}.1`,
    node: `10.90.${number}.2`,
    data: `10.89.0.${number}`,
    bridgePort: `port${number}`,
    controlLink: `ctl${number}`,
    mac: {
      control: `02:00:00:00:00:${byte}`,
      node: `02:00:00:00:01:${byte}`,
      data: `02:00:00:00:02:${byte}`,
    },
  }
}

export async function createNetwork(zones: readonly string[]): Promise<Network> {
  if (zones.length === 0 || zones.length > 100) throw new Error(`${zones.length} zones: give 1 to 100`)
  const all = zones.map((_, index) => numbered(index + 1))
  const find = (name: string) => {
    const zone = all[zones.indexOf(name)]
    if (!zone) throw new Error(`no zone ${name}: there are ${zones.join(', ')}`)
    return zone
  }

  await applySettings([], { forwarding: false })
  await batch(undefined, [
    `addr add ${apiServerAddress}/32 dev lo`,
    `addr add ${dnsAddress}/32 dev lo`,
    'link add name zones type bridge mcast_snooping 0',
    'link set zones up',
  ])
  await Promise.all(all.map(({ netns }) => createNamespace(netns, { forwarding: true })))
  await batch(undefined, all.flatMap(controlPlaneSide))
  await Promise.all(all.map((zone) => batch(zone.netns, zoneSide(zone, all))))
  await Promise.all(all.map(connect))

  return {
    ...createPodNetwork(find),
    zones,
    nodeAddress: (name) => find(name).node,
    cut: (name) => batch(undefined, [`link set ${find(name).bridgePort} nomaster`]),
    heal: (name) => connect(find(name)),
    async crossZoneBytes(name) {
      const { netns } = find(name)
      const output = await runCommand(['ip', '-n', netns, '-json', '-stats', 'link', 'show', 'zone0'])
      const [link] = JSON.parse(output) as [{ stats64: Record<'tx' | 'rx', { bytes: number }> }]
      return { sent: link.stats64.tx.bytes, received: link.stats64.rx.bytes }
    },
    enterZone: (name) => inNamespace(find(name).netns),
    stop: () =>
      batch(undefined, [
        ...all.flatMap(({ bridgePort, controlLink, netns }) => [
          `link del ${bridgePort}`,
          `link del ${controlLink}`,
          `netns del ${netns}`,
        ]),
        'link del zones',
        `addr del ${apiServerAddress}/32 dev lo`,
        `addr del ${dnsAddress}/32 dev lo`,
      ]),
  }
}

function controlPlaneSide({ netns, pods, control, node, bridgePort, controlLink, mac }: Zone): string[] {
  return [
    `link add name ${controlLink} address ${mac.control} type veth peer name ctl0 address ${mac.node} netns ${netns}`,
    `link add name ${bridgePort} type veth peer name zone0 address ${mac.data} netns ${netns}`,
    `addr add ${control}/30 dev ${controlLink}`,
    `link set ${controlLink} up`,
    `route add ${pods} via ${node} dev ${controlLink}`,
    `neigh replace ${node} lladdr ${mac.node} dev ${controlLink} nud permanent`,
  ]
}

function zoneSide(zone: Zone, all: Zone[]): string[] {
  return [
    `addr add ${zone.node}/30 dev ctl0`,
    'link set ctl0 up',
    `route add default via ${zone.control}`,
    `neigh replace ${zone.control} lladdr ${zone.mac.control} dev ctl0 nud permanent`,
    `addr add ${zone.data}/24 dev zone0`,
    'link set zone0 up',
    // a pod's own route is more specific: this one loses what is for nobody without telling the sender
    `route add blackhole ${zone.pods}`,
    ...all
      .filter((other) => other !== zone)
      .flatMap(({ pods, data, mac }) => [
        `route add ${pods} via ${data} dev zone0`,
        `neigh replace ${data} lladdr ${mac.data} dev zone0 nud permanent`,
      ]),
  ]
}

/** With static entries, so that neither ARP nor a flooded first packet is counted. */
async function connect({ bridgePort, mac }: Zone): Promise<void> {
  await batch(undefined, [`link set ${bridgePort} master zones up`])
  await runCommand(['bridge', 'fdb', 'replace', mac.data, 'dev', bridgePort, 'master', 'static'])
}
