// Pure: the cheapest way to move a given number of units through a small network (successive shortest paths).

interface Edge {
  to: number
  capacity: number
  cost: number
  flow: number
  /** position of the opposite edge in the list of its node */
  back: number
}

export class FlowNetwork {
  readonly #edges: Edge[][] = []

  addNode(): number {
    return this.#edges.push([]) - 1
  }

  /** Costs may be negative, as long as no circle of edges has a negative sum. Returns what `flowOf` takes. */
  addEdge(from: number, to: number, capacity: number, cost: number): readonly [number, number] {
    const [there, back] = [this.#at(from), this.#at(to)]
    there.push({ to, capacity, cost, flow: 0, back: back.length })
    back.push({ to: from, capacity: 0, cost: -cost, flow: 0, back: there.length - 1 })
    return [from, there.length - 1]
  }

  flowOf([node, edge]: readonly [number, number]): number {
    return this.#at(node)[edge]?.flow ?? 0
  }

  /** Sends up to `most` units at the least cost; returns how many went and what they cost. */
  send(source: number, sink: number, most: number): { units: number; cost: number } {
    let [units, cost] = [0, 0]
    while (units < most) {
      const path = this.#cheapestPath(source, sink)
      if (path === undefined) break
      const room = Math.min(most - units, ...path.map(({ capacity, flow }) => capacity - flow))
      for (const edge of path) {
        edge.flow += room
        cost += room * edge.cost
        const opposite = this.#at(edge.to)[edge.back]
        if (opposite) opposite.flow -= room
      }
      units += room
    }
    return { units, cost }
  }

  #cheapestPath(source: number, sink: number): Edge[] | undefined {
    const costs = this.#edges.map(() => Number.POSITIVE_INFINITY)
    const reachedBy = new Map<number, { from: number; edge: Edge }>()
    costs[source] = 0
    const queue = [source]
    for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
      for (const edge of this.#at(node)) {
        const cost = (costs[node] ?? 0) + edge.cost
        if (edge.flow >= edge.capacity || cost >= (costs[edge.to] ?? 0)) continue
        costs[edge.to] = cost
        reachedBy.set(edge.to, { from: node, edge })
        if (!queue.includes(edge.to)) queue.push(edge.to)
      }
    }
    if (!reachedBy.has(sink)) return undefined
    const path: Edge[] = []
    for (let node = sink; node !== source; ) {
      const step = reachedBy.get(node)
      if (step === undefined) return undefined
      path.unshift(step.edge)
      node = step.from
    }
    return path
  }

  #at(node: number): Edge[] {
    const edges = this.#edges[node]
    if (edges === undefined) throw new Error(`the network has no node ${node}`)
    return edges
  }
}
