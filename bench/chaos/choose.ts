// Pure: which faults a run makes, and in what order.
import type { Fault } from './fault.ts'

/** Those that are named, in that order; without names all, shuffled. Throws where a name is unknown. */
export function chooseFaults(
  all: readonly Fault[],
  names: readonly string[],
  random: () => number,
): readonly Fault[] {
  if (names.length === 0) return shuffle(all, random)
  return names.map((name) => {
    const found = all.find((fault) => fault.name === name)
    if (!found) throw new Error(`no fault ${name}: there are ${all.map((each) => each.name).join(', ')}`)
    return found
  })
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
