// A network namespace for each pod, so that pods of one zone may use the same port, each connected to its zone's.
// Which pod has which address is the kubelet's.
import { batch, createNamespace, inNamespace } from './ip.ts'

export interface PodNetwork {
  /** A new pod's network in the zone; an address that was given back is given again as late as possible. */
  addPod(zone: string): Promise<string>
  removePod(address: string): Promise<void>
  addAddress(address: string): Promise<void>
  /** Whoever sends to the pod, or from it, gets no answer and no error: as if its machine had no power. */
  removeAddress(address: string): Promise<void>
  /** What to put before a command so that it runs in the pod's network. */
  enterPod(address: string): string[]
}

interface Zone {
  number: number
  netns: string
}

// The same on every pod's link, since each link has but two ends.
const gateway = '169.254.1.1'
const macs = { zone: '02:00:00:00:03:00', pod: '02:00:00:00:04:00' }

/** Namespaces are named after the address. */
export function createPodNetwork(findZone: (name: string) => Zone): PodNetwork {
  const pods = new Map<string, { netns: string; link: string }>()
  const lastHost = new Map<number, number>()

  const take = (number: number): string => {
    const last = lastHost.get(number) ?? 0
    for (let step = 1; step <= 254; step++) {
      const host = ((last + step - 1) % 254) + 1
      if (pods.has(addressOf(number, host))) continue
      lastHost.set(number, host)
      return addressOf(number, host)
    }
    throw new Error(`zone number ${number} has no free pod address: it has 254`)
  }
  const addAddress = (address: string) =>
    batch(address, [
      `addr replace ${address}/32 dev eth0`,
      // the kernel drops these with the last address
      `neigh replace ${gateway} lladdr ${macs.zone} dev eth0 nud permanent`,
      `route replace ${gateway} dev eth0 scope link`,
      `route replace default via ${gateway} dev eth0`,
    ])

  return {
    async addPod(name) {
      const zone = findZone(name)
      const address = take(zone.number)
      const link = `pod${address.split('.').at(-1)}`
      pods.set(address, { netns: zone.netns, link })
      await createNamespace(address, { forwarding: false })
      await batch(zone.netns, [
        `link add name ${link} address ${macs.zone} type veth peer name eth0 address ${macs.pod} netns ${address}`,
        `link set ${link} up`,
        `route add ${address}/32 dev ${link}`,
        `neigh replace ${address} lladdr ${macs.pod} dev ${link} nud permanent`,
      ])
      await batch(address, ['link set eth0 up'])
      await addAddress(address)
      return address
    },
    async removePod(address) {
      const pod = pods.get(address)
      if (!pod) return
      await batch(pod.netns, [`link del ${pod.link}`])
      await batch(undefined, [`netns del ${address}`])
      pods.delete(address)
    },
    addAddress,
    removeAddress: (address) => batch(address, [`addr del ${address}/32 dev eth0`]),
    enterPod: inNamespace,
  }
}

function addressOf(zone: number, host: number): string {
  return `10.88.${zone}.${host}`
}
