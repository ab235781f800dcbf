// One key: gather, decide, write, tell. The deciding is in pure functions beside this file.
import { isFieldConflict, type Kube } from '../lib/kube.ts'
import { type ClusterView, gather } from './cluster/gather.ts'
import type { RoutedService } from './events/effect-watch.ts'
import type { Event } from './events/events.ts'
import { ServiceTeller } from './events/service-teller.ts'
import { keyOf } from './objects/key.ts'
import type { Service } from './objects/objects.ts'
import type { ClassRule } from './objects/routes.ts'
import { type AdviceReason, adviceOn } from './plan/advice.ts'
import { type Desired, desired } from './plan/desired.ts'
import { writtenOn } from './plan/dialects/all.ts'
import type { Dialect } from './plan/dialects/dialect.ts'
import type { Input } from './plan/input.ts'
import { type Memory, plan, type ServiceWrite, type Write } from './plan/plan.ts'
import {
  afterConflict,
  afterRemoval,
  afterWrite,
  mayWrite,
  otherManagers,
  type Reverts,
  type Sight,
} from './plan/reverts.ts'
import { refusalOfWrite } from './plan/write-refusal.ts'
import { apply } from './write/apply.ts'
import { inSteps } from './write/steps.ts'
import { writePod } from './write/write-pod.ts'

export interface ReconcilerOptions {
  kube: Kube
  caches: ClusterView
  /** the one that is written */
  dialect: Dialect
  /** all, so that what another one wrote is found and removed */
  dialects: readonly Dialect[]
  classRule: ClassRule
  /** ms; see plan.ts */
  graceTime: number
  releaseTime: number
  /** see serving.ts */
  bound: number
  /** see advice.ts */
  answerSize: number
  now: () => number
  /** Must not throw. */
  tell: (event: Event) => void
  /** Hears of each pod that came without a stamp, or with a wrong one. */
  onBackfill?: () => void
  /** Hears how each look at a Service ended: routed, or a reason; and of how many zones the traffic isn't kept inside. */
  onOutcome: (key: string, outcome: string | undefined, openZones?: number) => void
  /** Hears what people are advised of a Service; usually nothing. */
  onAdvice?: (key: string, reasons: readonly AdviceReason[]) => void
  /** see dry-run.ts */
  asWritten?: (input: Input) => Input
}

/** For one Service. */
const writesAtOnce = 8

/** What is remembered of one Service from look to look. */
interface Known {
  uid: string | undefined
  memory: Memory
  reverts: Reverts
  /** who else writes it, as our last write of it showed */
  others: string[]
  /** where it is annotated, and is to be */
  routed: RoutedService | undefined
  /** it is to be, and its pods serve zones as it wants already */
  isWanted: boolean
}

export class Reconciler {
  readonly #options: ReconcilerOptions
  readonly #teller: ServiceTeller
  readonly #known = new Map<string, Known>()

  constructor(options: ReconcilerOptions) {
    this.#options = options
    this.#teller = new ServiceTeller(options.tell)
  }

  /** Restores the state of one primary Service; resolves to ms until time alone may have changed it. */
  async reconcile(key: string): Promise<number | undefined> {
    const { caches, dialect, classRule, graceTime, releaseTime, bound, answerSize, onOutcome, onAdvice } =
      this.#options
    const { asWritten } = this.#options
    const seen = gather(caches, key, classRule, (service) => this.#decidesOverPods(service))
    const input = seen && (asWritten?.(seen) ?? seen)
    if (input === undefined) {
      this.#known.delete(key)
      this.#teller.forget(key)
      onOutcome(key, undefined)
      onAdvice?.(key, [])
      return undefined
    }
    const now = this.#options.now()
    const known = this.#knownOf(key, input.primary)
    const { memory } = known
    const want = desired(input, dialect, { bound, now, memory: memory.guard ?? {} })
    const written = this.#written(input.primary)
    known.isWanted = want.routed
    known.routed =
      want.routed && written[dialect.annotation] !== undefined
        ? { primary: input.primary, backends: Object.keys(want.servers.ports) }
        : undefined
    const next = plan({
      input,
      desired: want,
      written,
      annotationKey: dialect.annotation,
      memory,
      now,
      graceTime,
      releaseTime,
    })
    known.memory = next.memory
    onOutcome(key, outcome(want), want.routed ? want.openZones : 0)
    const wait = next.writes.some(isSetting) ? this.#waitToSet(key, known, input.primary, now) : 0
    const writes = next.writes.filter((write) => wait === 0 || !isSetting(write))
    try {
      await inSteps(writes, writesAtOnce, (write) =>
        write.kind === 'write-pod' ? writePod(write, this.#options) : this.#apply(known, write, now),
      )
    } catch (error) {
      this.#noteRefused(key, input.primary, error)
      throw error
    }
    const { primary } = input
    const wrote = writes.map(({ kind }) => kind)
    this.#teller.lent(
      primary,
      writes.filter((write) => write.kind === 'write-pod'),
    )
    if (want.routed && wrote.includes('set-annotation'))
      this.#teller.routed(key, primary, want.annotation, want.zonalServices)
    if (next.refusal && wrote.includes('remove-annotation')) this.#teller.routedNoMore(primary, next.refusal)
    if (next.refusal) this.#teller.refused(key, primary, next.refusal)
    const advice = want.routed ? adviceOn(input, want, dialect, answerSize) : []
    this.#teller.advised(key, primary, advice)
    onAdvice?.(
      key,
      advice.map(({ reason }) => reason),
    )
    return wait === 0 ? next.lookAgainIn : Math.min(wait, next.lookAgainIn ?? wait)
  }

  /** Services that are annotated, and are to be. */
  get routed(): Iterable<RoutedService> {
    return [...this.#known.values()].flatMap(({ routed }) => routed ?? [])
  }

  /** Whether a Service carries an annotation of ours, of whatever dialect. */
  isRouted(service: Service): boolean {
    return Object.keys(this.#written(service)).length > 0
  }

  #decidesOverPods(service: Service): boolean {
    const { namespace = '', name = '' } = service.metadata
    return this.isRouted(service) || this.#known.get(keyOf(namespace, name))?.isWanted === true
  }

  /** One that took the place of another of its name is a new one: nobody has taken anything away from it. */
  #knownOf(key: string, { metadata: { uid } }: Service): Known {
    const before = this.#known.get(key)
    if (before !== undefined && before.uid === uid) return before
    this.#teller.forget(key)
    const known: Known = { uid, memory: {}, reverts: {}, others: [], routed: undefined, isWanted: false }
    this.#known.set(key, known)
    return known
  }

  /** ms until the annotation may be written; 0: now. Tells who may be in the way. */
  #waitToSet(key: string, known: Known, primary: Service, now: number): number {
    const { annotation } = this.#options.dialect
    const verdict = mayWrite(known.reverts, sightOf(primary, annotation), now)
    known.reverts = verdict.reverts
    if (verdict.reason) this.#options.onOutcome(key, verdict.reason)
    if (verdict.isNew) this.#teller.annotationRemoved(primary, annotation, known.others)
    return verdict.wait
  }

  async #apply(known: Known, write: ServiceWrite, now: number): Promise<void> {
    const { kube, dialect } = this.#options
    const { reverts } = known
    try {
      const written = await apply(kube, write)
      if (write.kind === 'remove-annotation') known.reverts = afterRemoval(reverts)
      if (write.kind !== 'set-annotation') return
      const { resourceVersion: version = '', managedFields } = written?.metadata ?? {}
      known.reverts = afterWrite(reverts, { value: write.value, version }, now)
      known.others = otherManagers(managedFields)
    } catch (error) {
      if (write.kind !== 'set-annotation' || !isFieldConflict(error)) throw error
      known.reverts = afterConflict(reverts, sightOf(write.primary, dialect.annotation), now)
      throw error
    }
  }

  #noteRefused(key: string, primary: Service, error: unknown): void {
    const refusal = refusalOfWrite(error, this.#options.dialect.annotation)
    if (refusal === undefined) return
    this.#options.onOutcome(key, refusal.reason)
    this.#teller.refused(key, primary, refusal)
  }

  #written(service: Service): Record<string, string> {
    return writtenOn(service, this.#options.dialects)
  }
}

function outcome(want: Desired): string {
  return want.routed ? 'Routed' : want.refusal.reason
}

const isSetting = ({ kind }: Write): boolean => kind === 'set-annotation'

function sightOf({ metadata }: Service, annotation: string): Sight {
  return { value: metadata.annotations?.[annotation], version: metadata.resourceVersion ?? '' }
}
