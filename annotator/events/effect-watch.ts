// Whether what is annotated has its effect: reads the proxies' statistics from time to time, and tells of Services that a
// prepared proxy routes as without zonefirst. Requests never depend on it, and a proxy that can't be read says nothing.

import { keyOf } from '../objects/key.ts'
import type { Pod, Service } from '../objects/objects.ts'
import { backendServers, lacksEffect } from '../plan/effects.ts'
import type { Event } from './events.ts'

/** A Service that is routed by zone, and the names of its backends. */
export interface RoutedService {
  primary: Service
  backends: readonly string[]
}

export interface EffectWatchOptions {
  routed: () => Iterable<RoutedService>
  /** ready proxies that lack nothing that is known of */
  proxies: () => readonly Pod[]
  /** Reads an address's metrics. */
  read: (address: string) => Promise<string>
  tell: (event: Event) => void
}

/** A look may fall into the moment between the annotation and the controller's reload. */
const looksUntilTold = 2

export class EffectWatch {
  readonly #options: EffectWatchOptions
  /** how often in a row a Service was seen without, by key */
  #seen: ReadonlyMap<string, number> = new Map()
  #unreadProxies = 0

  constructor(options: EffectWatchOptions) {
    this.#options = options
  }

  /** How many Services are without effect at one proxy or more. */
  get services(): number {
    return [...this.#seen.values()].filter((looks) => looks >= looksUntilTold).length
  }

  /** How many proxies could not be read at the last look. */
  get unreadProxies(): number {
    return this.#unreadProxies
  }

  async look(): Promise<void> {
    const { routed, proxies, tell } = this.#options
    const without = new Map<string, { service: RoutedService; pods: string[] }>()
    let unread = 0
    for (const pod of proxies()) {
      const backends = await this.#read(pod)
      if (backends === undefined) {
        unread += 1
        continue
      }
      for (const service of routed()) {
        if (!service.backends.some((backend) => lacksEffect(backends.get(backend)))) continue
        const key = keyOf(service.primary.metadata.namespace ?? '', service.primary.metadata.name ?? '')
        const found = without.get(key) ?? { service, pods: [] }
        found.pods.push(keyOf(pod.namespace, pod.name))
        without.set(key, found)
      }
    }
    this.#unreadProxies = unread
    const before = this.#seen
    this.#seen = new Map([...without.keys()].map((key) => [key, (before.get(key) ?? 0) + 1]))
    for (const [key, { service, pods }] of without) {
      if (this.#seen.get(key) === looksUntilTold) tell(eventOf(service, pods))
    }
  }

  async #read({ proxy }: Pod) {
    if (proxy?.address === undefined) return undefined
    try {
      return backendServers(await this.#options.read(proxy.address))
    } catch {
      return undefined
    }
  }
}

function eventOf({ primary }: RoutedService, pods: readonly string[]): Event {
  const { namespace = '', name = '', uid = '' } = primary.metadata
  const message = `annotated, but without effect: ${pods.join(', ')} still routes it as without zonefirst: see that the controller takes the annotation (--custom-validation-rules, or snippets that are not disabled) and what its log says`
  return {
    regarding: { kind: 'Service', namespace, name, uid },
    type: 'Warning',
    reason: 'WithoutEffect',
    message,
  }
}
