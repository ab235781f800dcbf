// Pure: which zone each Node is in.
import { keepNode } from '../annotator/objects/objects.ts'
import { zoneKey } from '../lib/zone.ts'
import type { Snapshot } from './snapshot.ts'

/** By Node name; undefined where the Node has none. */
export function zoneOfNodes({ nodes }: Pick<Snapshot, 'nodes'>): Map<string, string | undefined> {
  return new Map(nodes.map(keepNode).map(({ name, zone }) => [name, zone]))
}

/** Those that have a zone alone. */
export function zoneKeyOfNodes(snapshot: Pick<Snapshot, 'nodes'>): Map<string, string> {
  return new Map(
    [...zoneOfNodes(snapshot)].flatMap(([name, zone]) => (zone === undefined ? [] : [[name, zoneKey(zone)]])),
  )
}
