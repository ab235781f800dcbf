// Pure: which pod serves which zone, so that a split holds and as few pods as possible change.
import { FlowNetwork } from './flow.ts'
import type { Split, Zone } from './split.ts'

export interface Pod {
  name: string
  /** key of the zone that it is in */
  zone: string
  /** the zone that it serves today; undefined: none */
  serves: string | undefined
  /** It can serve no zone but its own. */
  pinned: boolean
}

export interface Assignment {
  /** by pod name; undefined: none, as for pods of open zones */
  serves: ReadonlyMap<string, string | undefined>
  changes: number
}

export function assign(zones: readonly Zone[], split: Split, pods: readonly Pod[]): Assignment {
  const position = new Map(zones.map(({ key }, index) => [key, index]))
  const home = (pod: Pod) => (split.open[position.get(pod.zone) ?? -1] ? undefined : pod.zone)
  const groups = groupLendable(pods)

  const network = new FlowNetwork()
  const [source, sink] = [network.addNode(), network.addNode()]
  const donors = zones.map(() => network.addNode())
  const takers = zones.map(() => network.addNode())
  for (const [index, donor] of donors.entries()) network.addEdge(source, donor, split.spare[index] ?? 0, 0)
  for (const [index, taker] of takers.entries()) network.addEdge(taker, sink, split.borrowed[index] ?? 0, 0)
  const moves = groups.flatMap((group) => {
    const [first] = group
    const donor = position.get(first.zone)
    if (donor === undefined) return []
    const node = network.addNode()
    network.addEdge(donors[donor] ?? -1, node, group.length, 0)
    // what lending costs beyond staying at home
    const atHome = first.serves === home(first) ? 0 : 1
    return zones.flatMap(({ key }, index) => {
      if (index === donor || (split.borrowed[index] ?? 0) === 0) return []
      const cost = (first.serves === key ? 0 : 1) - atHome
      return [{ group, to: key, edge: network.addEdge(node, takers[index] ?? -1, group.length, cost) }]
    })
  })
  network.send(
    source,
    sink,
    split.borrowed.reduce((sum, borrowed) => sum + borrowed, 0),
  )

  const serves = new Map(pods.map((pod) => [pod.name, home(pod)]))
  const used = new Map<object, number>()
  for (const { group, to, edge } of moves) {
    const from = used.get(group) ?? 0
    const count = network.flowOf(edge)
    for (const pod of group.slice(from, from + count)) serves.set(pod.name, to)
    used.set(group, from + count)
  }
  return { serves, changes: pods.filter((pod) => serves.get(pod.name) !== pod.serves).length }
}

/** Pods that are alike in zone and in what they serve, each group in the order of names. */
function groupLendable(pods: readonly Pod[]): [Pod, ...Pod[]][] {
  const groups = new Map<string, [Pod, ...Pod[]]>()
  for (const pod of pods.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (pod.pinned) continue
    const key = `${pod.zone} ${pod.serves ?? ''}`
    const group = groups.get(key)
    if (group) group.push(pod)
    else groups.set(key, [pod])
  }
  return [...groups.values()]
}
