// The zone of each Node, and which zones there are.

import type { Node } from '../objects/objects.ts'
import { type Zone, zonesOf } from '../plan/input.ts'

export class NodeZones {
  /** undefined where the Node has none */
  readonly ofNode = new Map<string, string | undefined>()
  #all: readonly Zone[] = []

  /** Zones that have Nodes, sorted by key. */
  get all(): readonly Zone[] {
    return this.#all
  }

  /** Takes notice of a Node that changed: whether its zone did, and the set of zones. */
  note(now: Node | undefined, before: Node | undefined): { node: boolean; zones: boolean } {
    if (now && before && now.zone === before.zone) return { node: false, zones: false }
    if (now) this.ofNode.set(now.name, now.zone)
    else if (before) this.ofNode.delete(before.name)
    const zones = zonesOf(this.ofNode.values())
    const isSame =
      zones.length === this.#all.length && zones.every(({ zone }, i) => zone === this.#all[i]?.zone)
    if (!isSame) this.#all = zones
    return { node: true, zones: !isSame }
  }
}
