// Tells people, by Events on the primary Service, what is done with it or why nothing is: once for each change.

import type { Service } from '../objects/objects.ts'
import type { Advice } from '../plan/advice.ts'
import { lendingOf } from '../plan/lending.ts'
import { handlingOf, type Refusal } from '../plan/reasons.ts'
import type { PodWrite } from '../plan/stamps.ts'
import type { Event } from './events.ts'

export class ServiceTeller {
  readonly #post: (event: Event) => void
  /** what was told last of each key: caches may lag behind a write */
  readonly #told = new Map<string, string>()
  readonly #advised = new Map<string, ReadonlySet<string>>()

  constructor(post: (event: Event) => void) {
    this.#post = post
  }

  forget(key: string): void {
    this.#told.delete(key)
    this.#advised.delete(key)
  }

  routed(key: string, primary: Service, annotation: string, zonalServices: readonly Service[]): void {
    if (this.#told.get(key) === annotation) return
    this.#told.set(key, annotation)
    const names = zonalServices.map(({ metadata }) => metadata.name).join(', ')
    const message = `the proxies of each zone now take the pods that serve it (${names}) as normal servers and all others as backup`
    this.#tell(primary, 'Normal', 'ZoneFirst', message)
  }

  routedNoMore(primary: Service, { message }: Refusal): void {
    this.#tell(primary, 'Normal', 'ZoneFirstOff', `routed as without zonefirst again: ${message}`)
  }

  refused(key: string, primary: Service, { reason, message }: Refusal): void {
    if (this.#told.get(key) === reason) return
    this.#told.set(key, reason)
    if (!handlingOf(reason).silent) this.#tell(primary, 'Warning', reason, `left alone: ${message}`)
  }

  /** What is said again only after it was not to be said for a while: the numbers in it change all the time. */
  advised(key: string, primary: Service, advice: readonly Advice[]): void {
    const before = this.#advised.get(key)
    for (const { reason, message } of advice) {
      if (!before?.has(reason)) this.#tell(primary, 'Warning', reason, message)
    }
    if (advice.length > 0) this.#advised.set(key, new Set(advice.map(({ reason }) => reason)))
    else this.#advised.delete(key)
  }

  lent(primary: Service, writes: readonly PodWrite[]): void {
    const lending = lendingOf(writes)
    if (lending !== undefined) this.#tell(primary, 'Normal', 'ZonesRebalanced', lending)
  }

  annotationRemoved(primary: Service, annotation: string, others: readonly string[]): void {
    const who =
      others.length > 0
        ? `this Service is also written by ${others.join(', ')}`
        : 'nobody else has fields of this Service'
    const message = `somebody removes our annotation ${annotation} again and again (${who}): it is written ever more rarely until that stops`
    this.#tell(primary, 'Warning', 'AnnotationRemoved', message)
  }

  #tell(primary: Service, type: Event['type'], reason: string, message: string): void {
    const { namespace = '', name = '', uid = '' } = primary.metadata
    this.#post({ regarding: { kind: 'Service', namespace, name, uid }, type, reason, message })
  }
}
