// Keys to look at: each at most once in the queue, one worker a key at a time, failed keys again with back-off. What
// looking at a key means is the caller's.

export interface WorkqueueOptions {
  /** Looks at one key; resolves to ms until it wants another look, or undefined. May throw. */
  work: (key: string) => Promise<number | undefined>
  onError: (key: string, error: Error) => void
  workers: number
  /** ms; doubled at each further failure of the same key up to `most` */
  backOff?: { first: number; most: number }
}

export class Workqueue {
  readonly #options: WorkqueueOptions
  readonly #backOff: { first: number; most: number }
  readonly #waiting = new Set<string>()
  readonly #working = new Set<string>()
  /** keys that changed while they were worked on */
  readonly #dirty = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #running = false
  #isPumpDue = false
  #idle = Promise.withResolvers<void>()

  constructor(options: WorkqueueOptions) {
    this.#options = options
    this.#backOff = options.backOff ?? { first: 500, most: 60_000 }
  }

  start(): void {
    this.#running = true
    this.#pump()
  }

  /** Resolves when no key is being worked on any more; none is begun from now on. */
  stop(): Promise<void> {
    this.#running = false
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#idle = Promise.withResolvers<void>()
    this.#settle()
    return this.#idle.promise
  }

  /** A key that failed waits for its back-off, however often it changes: whatever refused it may be overloaded. */
  add(key: string): void {
    if (this.#failures.has(key) && this.#timers.has(key)) return
    clearTimeout(this.#timers.get(key))
    this.#timers.delete(key)
    if (this.#working.has(key)) this.#dirty.add(key)
    else this.#waiting.add(key)
    this.#pumpSoon()
  }

  get depth(): number {
    return this.#waiting.size
  }

  /** Not at once: news come in batches, and often several of a batch concern the same key. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return
    this.#isPumpDue = true
    queueMicrotask(() => {
      this.#isPumpDue = false
      this.#pump()
    })
  }

  #pump(): void {
    for (const key of this.#waiting) {
      if (!this.#running || this.#working.size >= this.#options.workers) return
      this.#waiting.delete(key)
      this.#working.add(key)
      void this.#work(key)
    }
  }

  async #work(key: string): Promise<void> {
    let again: number | undefined
    try {
      again = await this.#options.work(key)
      this.#failures.delete(key)
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0
      this.#failures.set(key, failures + 1)
      again = Math.min(this.#backOff.first * 2 ** failures, this.#backOff.most)
      this.#options.onError(key, error as Error)
    }
    this.#working.delete(key)
    // a key that failed waits for its back-off even if it changed meanwhile
    if (this.#dirty.delete(key) && !this.#failures.has(key)) this.#waiting.add(key)
    else if (again !== undefined && this.#running) this.#addLater(key, again)
    this.#settle()
    this.#pump()
  }

  #addLater(key: string, milliseconds: number): void {
    clearTimeout(this.#timers.get(key))
    this.#timers.set(
      key,
      setTimeout(
        () => {
          this.#timers.delete(key)
          this.add(key)
        },
        Math.min(milliseconds, 2 ** 31 - 1),
      ),
    )
  }

  #settle(): void {
    if (!this.#running && this.#working.size === 0) this.#idle.resolve()
  }
}
