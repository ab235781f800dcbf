// Objects filed under groups, so that what belongs to one Service is found without asking all.

export class Index<T> {
  readonly #groups = new Map<string, Map<string, T>>()
  readonly #groupsOf: (object: T) => readonly string[]
  readonly #nameOf: (object: T) => string

  /** `nameOf` has to be unique within each group. */
  constructor(groupsOf: (object: T) => readonly string[], nameOf: (object: T) => string) {
    this.#groupsOf = groupsOf
    this.#nameOf = nameOf
  }

  replace(now: T | undefined, before: T | undefined): void {
    for (const group of before ? this.#groupsOf(before) : []) {
      const members = this.#groups.get(group)
      if (before) members?.delete(this.#nameOf(before))
      if (members?.size === 0) this.#groups.delete(group)
    }
    for (const group of now ? this.#groupsOf(now) : []) {
      const members = this.#groups.get(group) ?? new Map<string, T>()
      if (now) this.#groups.set(group, members.set(this.#nameOf(now), now))
    }
  }

  get(group: string): ReadonlyMap<string, T> {
    return this.#groups.get(group) ?? new Map()
  }

  groups(): IterableIterator<string> {
    return this.#groups.keys()
  }
}
