// Leader election over one Lease, as client-go does it: at most one candidate leads at a time. A leader counts from when
// it sent its last renewal that succeeded, a candidate from when it saw it, each by its own monotonic clock, so that the
// one has stopped before the other begins. It stands once: after a loss its program has to end.
import { setTimeout as wait } from 'node:timers/promises'
import { held, type Lease, type Observation, observe, released, waitsFor } from './lease-record.ts'
import type { LeaseStore } from './lease-store.ts'

/** In ms. */
export interface LeaseTiming {
  /** how long others wait for a leader that is silent */
  leaseDuration: number
  /** how long a leader goes on without a renewal */
  renewDeadline: number
  /** between two attempts */
  retryPeriod: number
}

export interface Clock {
  /** Monotonic, in ms. */
  now(): number
  /** Rejects when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
  /** For people alone. */
  wallTime(): number
}

export interface ElectionOptions {
  store: LeaseStore
  /** No two candidates may have the same. */
  identity: string
  timing: LeaseTiming
  clock?: Clock
  onGain: () => void
  /** Not called for a stop. */
  onLoss: (reason: string) => void
  /** Hears of attempts that failed; the next one comes by itself. */
  onError: (error: Error) => void
}

const usualClock: Clock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
  wallTime: Date.now,
}

export class Election {
  readonly #options: ElectionOptions
  readonly #clock: Clock
  readonly #stopped = new AbortController()
  readonly #ended = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #seen: Observation | undefined
  /** the Lease as we wrote it last */
  #own: Lease | undefined
  /** until when the last renewal holds; undefined before the first */
  #until: number | undefined

  /** Throws where the figures can't keep two leaders apart. */
  constructor(options: ElectionOptions) {
    const { leaseDuration, renewDeadline, retryPeriod } = options.timing
    if (!(leaseDuration > renewDeadline && renewDeadline > 1.2 * retryPeriod && retryPeriod > 0)) {
      throw new Error(
        'the lease duration must be longer than the renew deadline, and that than 1.2 retry periods',
      )
    }
    this.#options = options
    this.#clock = options.clock ?? usualClock
  }

  start(): void {
    this.#running = this.#run()
  }

  /** By the clock: also false where nothing has run since the deadline passed, as after a pause of the process. */
  get isLeader(): boolean {
    return this.#until !== undefined && !this.#ended.signal.aborted && this.#clock.now() < this.#until
  }

  /** Aborted when it leads no more. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Gives the Lease back where we hold it, so that another can take it at once: nothing may be under way any more. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
    const { isLeader } = this
    this.#ended.abort(new Error('it leads no more: it was stopped'))
    const own = this.#own
    if (!isLeader || own?.spec === undefined) return
    const spec = released(own.spec, this.#clock.wallTime())
    await this.#within(this.#mostOfRequest, (signal) => this.#options.store.write(own, spec, signal)).catch(
      this.#options.onError,
    )
  }

  async #run(): Promise<void> {
    const { timing, onGain, onLoss, onError } = this.#options
    while (!this.#stopped.signal.aborted) {
      const led = this.#until !== undefined
      try {
        await this.#attempt()
      } catch (error) {
        if (!this.#stopped.signal.aborted) onError(error as Error)
      }
      if (this.#stopped.signal.aborted) return
      if (this.#until !== undefined && !this.isLeader) {
        const holder = this.#seen?.spec?.holderIdentity
        const isStolen = holder !== undefined && holder !== this.#options.identity
        const reason = isStolen ? `${holder} has taken the Lease` : 'the Lease could not be renewed in time'
        this.#ended.abort(new Error(`it leads no more: ${reason}`))
        onLoss(reason)
        return
      }
      if (!led && this.isLeader) onGain()
      // candidates don't come all at once
      const pause = timing.retryPeriod * (this.#until === undefined ? 1 + Math.random() / 5 : 1)
      const left = this.#until === undefined ? pause : Math.max(this.#until - this.#clock.now(), 0)
      await this.#clock.wait(Math.min(pause, left), this.#stopped.signal).catch(() => {})
    }
  }

  /** Renews, takes or only looks, each by requests that end before our time does. */
  async #attempt(): Promise<void> {
    if (this.#own !== undefined && (await this.#take(this.#own))) return
    const { store, identity, timing } = this.#options
    const lease = await this.#within(this.#mostOfRequest, (signal) => store.read(signal))
    const isFirst = this.#seen === undefined
    const now = this.#clock.now()
    this.#seen = observe(this.#seen, lease?.spec, now)
    if (this.#until !== undefined) {
      const holder = lease?.spec?.holderIdentity
      // whoever else stands in it leads: our time is over, whatever the clock says
      if (lease !== undefined && holder !== identity) this.#until = now
      else await this.#take(lease)
      return
    }
    const { leaseDuration } = timing
    if (waitsFor(this.#seen, isFirst, { identity, leaseDuration, now }) === 0) await this.#take(lease)
  }

  /** Whether we hold it now. */
  async #take(before: Lease | undefined): Promise<boolean> {
    const { store, identity, timing } = this.#options
    const { leaseDuration, renewDeadline } = timing
    const sentAt = this.#clock.now()
    const spec = held(before?.spec, { identity, leaseDuration, wallTime: this.#clock.wallTime() })
    const lease = await this.#within(this.#mostOfRequest, (signal) => store.write(before, spec, signal))
    this.#own = lease
    if (lease === undefined) return false
    const isLate = this.#until !== undefined && this.#clock.now() >= this.#until
    if (!isLate) this.#until = sentAt + renewDeadline
    this.#seen = { spec: lease.spec, since: this.#clock.now() }
    return true
  }

  /** A request that hangs must leave time for another one. */
  get #mostOfRequest(): number {
    const most = this.#options.timing.renewDeadline / 2
    return this.#until === undefined ? most : Math.min(most, this.#until - this.#clock.now())
  }

  async #within<T>(milliseconds: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const done = new AbortController()
    const late = this.#clock.wait(Math.max(milliseconds, 0), done.signal).then(() => {
      const error = new Error(`the Lease: no answer within ${Math.round(milliseconds)} ms`)
      done.abort(error)
      throw error
    })
    try {
      return await Promise.race([call(done.signal), late])
    } finally {
      late.catch(() => {})
      done.abort()
    }
  }
}
