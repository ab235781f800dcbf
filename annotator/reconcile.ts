// One key: gather, decide, write, tell. The deciding is in pure functions beside this file.
import { isFieldConflict, isNamespaceTerminating, isRejected, type Kube } from '../lib/kube.ts'
import { apply } from './apply.ts'
import type { Caches } from './caches.ts'
import { type Desired, desired } from './desired.ts'
import { writtenOn } from './dialects/all.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { Event } from './events.ts'
import { gather } from './gather.ts'
import { lendingOf } from './lending.ts'
import type { Service } from './objects.ts'
import { type Memory, plan, type ServiceWrite, type Write } from './plan.ts'
import { handlingOf, type Refusal } from './reasons.ts'
import {
  afterConflict,
  afterRemoval,
  afterWrite,
  mayWrite,
  otherManagers,
  type Reverts,
  type Sight,
} from './reverts.ts'
import type { ClassRule } from './routes.ts'
import { writePod } from './write-pod.ts'

export interface ReconcilerOptions {
  kube: Kube
  caches: Caches
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
  now: () => number
  /** Must not throw. */
  tell: (event: Event) => void
  /** Hears of each pod that came without a stamp, or with a wrong one. */
  onBackfill?: () => void
  /** Hears how each look at a Service ended: routed, or a reason; and of how many zones the traffic isn't kept inside. */
  onOutcome: (key: string, outcome: string | undefined, openZones?: number) => void
}

export class Reconciler {
  readonly #options: ReconcilerOptions
  readonly #memories = new Map<string, Memory>()
  /** what was told last of each key, so that an Event is one for each change: caches may lag behind a write */
  readonly #told = new Map<string, string>()
  readonly #reverts = new Map<string, Reverts>()
  /** who else writes a primary, as our last write of it showed */
  readonly #others = new Map<string, string[]>()

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** Restores the state of one primary Service; resolves to ms until time alone may have changed it. */
  async reconcile(key: string): Promise<number | undefined> {
    const { caches, dialect, classRule, graceTime, releaseTime, bound, onOutcome } = this.#options
    const input = gather(caches, key, classRule, (service) => this.isRouted(service))
    if (input === undefined) {
      this.#memories.delete(key)
      this.#told.delete(key)
      this.#reverts.delete(key)
      this.#others.delete(key)
      onOutcome(key, undefined)
      return undefined
    }
    const now = this.#options.now()
    const memory = this.#memories.get(key) ?? {}
    const want = desired(input, dialect, { bound, now, memory: memory.guard ?? {} })
    const next = plan({
      input,
      desired: want,
      written: this.#written(input.primary),
      annotationKey: dialect.annotation,
      memory,
      now,
      graceTime,
      releaseTime,
    })
    this.#memories.set(key, next.memory)
    onOutcome(key, outcome(want), want.routed ? want.openZones : 0)
    const wait = next.writes.some(isSetting) ? this.#waitToSet(key, input.primary, now) : 0
    const writes = next.writes.filter((write) => wait === 0 || !isSetting(write))
    try {
      for (const write of writes) {
        if (write.kind === 'write-pod') await writePod(write, this.#options)
        else await this.#apply(key, write, now)
      }
    } catch (error) {
      this.#noteRefused(key, input.primary, error)
      throw error
    }
    this.#tellLending(input.primary, writes)
    const wrote = writes.map(({ kind }) => kind)
    if (want.routed && wrote.includes('set-annotation') && this.#told.get(key) !== want.annotation) {
      this.#told.set(key, want.annotation)
      const names = want.zonalServices.map(({ metadata }) => metadata.name).join(', ')
      const message = `the proxies of each zone now take the pods that serve it (${names}) as normal servers and all others as backup`
      this.#tell(input.primary, 'Normal', 'ZoneFirst', message)
    }
    if (wrote.includes('remove-annotation') && next.refusal) {
      const message = `routed as without zonefirst again: ${next.refusal.message}`
      this.#tell(input.primary, 'Normal', 'ZoneFirstOff', message)
    }
    if (next.refusal) this.#tellRefusal(key, input.primary, next.refusal)
    return wait === 0 ? next.lookAgainIn : Math.min(wait, next.lookAgainIn ?? wait)
  }

  /** Whether a Service carries an annotation of ours, of whatever dialect. */
  isRouted(service: Service): boolean {
    return Object.keys(this.#written(service)).length > 0
  }

  /** ms until the annotation may be written; 0: now. Tells who may be in the way. */
  #waitToSet(key: string, primary: Service, now: number): number {
    const { annotation } = this.#options.dialect
    const verdict = mayWrite(this.#reverts.get(key) ?? {}, sightOf(primary, annotation), now)
    this.#reverts.set(key, verdict.reverts)
    if (verdict.reason) this.#options.onOutcome(key, verdict.reason)
    if (verdict.isNew) {
      const others = this.#others.get(key)?.join(', ')
      const who = others
        ? `this Service is also written by ${others}`
        : 'nobody else has fields of this Service'
      const message = `somebody removes our annotation ${annotation} again and again (${who}): it is written ever more rarely until that stops`
      this.#tell(primary, 'Warning', 'AnnotationRemoved', message)
    }
    return verdict.wait
  }

  async #apply(key: string, write: ServiceWrite, now: number): Promise<void> {
    const { kube, dialect } = this.#options
    const reverts = this.#reverts.get(key) ?? {}
    try {
      const written = await apply(kube, write)
      if (write.kind === 'remove-annotation') this.#reverts.set(key, afterRemoval(reverts))
      if (write.kind !== 'set-annotation') return
      const { resourceVersion: version = '', managedFields } = written?.metadata ?? {}
      this.#reverts.set(key, afterWrite(reverts, { value: write.value, version }, now))
      this.#others.set(key, otherManagers(managedFields))
    } catch (error) {
      if (write.kind !== 'set-annotation' || !isFieldConflict(error)) throw error
      this.#reverts.set(key, afterConflict(reverts, sightOf(write.primary, dialect.annotation), now))
      throw error
    }
  }

  #noteRefused(key: string, primary: Service, error: unknown): void {
    const refuse = (refusal: Refusal) => {
      this.#options.onOutcome(key, refusal.reason)
      this.#tellRefusal(key, primary, refusal)
    }
    if (isFieldConflict(error)) {
      const { annotation } = this.#options.dialect
      const message = `somebody else has set the annotation ${annotation}: remove it, zonefirst never overwrites it`
      refuse({ reason: 'AnnotationTaken', message })
    } else if (isRejected(error) && !isNamespaceTerminating(error)) {
      refuse({ reason: 'WriteRejected', message: `the API server rejects what it needs: ${error.message}` })
    }
  }

  #tellLending(primary: Service, writes: readonly Write[]): void {
    const lending = lendingOf(writes.filter((write) => write.kind === 'write-pod'))
    if (lending !== undefined) this.#tell(primary, 'Normal', 'ZonesRebalanced', lending)
  }

  #written(service: Service): Record<string, string> {
    return writtenOn(service, this.#options.dialects)
  }

  #tellRefusal(key: string, primary: Service, { reason, message }: Refusal): void {
    if (this.#told.get(key) === reason) return
    this.#told.set(key, reason)
    if (!handlingOf(reason).silent) this.#tell(primary, 'Warning', reason, `left alone: ${message}`)
  }

  #tell(primary: Service, type: Event['type'], reason: string, message: string): void {
    const { namespace = '', name = '', uid = '' } = primary.metadata
    this.#options.tell({ regarding: { kind: 'Service', namespace, name, uid }, type, reason, message })
  }
}

function outcome(want: Desired): string {
  return want.routed ? 'Routed' : want.refusal.reason
}

const isSetting = ({ kind }: Write): boolean => kind === 'set-annotation'

function sightOf({ metadata }: Service, annotation: string): Sight {
  return { value: metadata.annotations?.[annotation], version: metadata.resourceVersion ?? '' }
}
