// Tells of each proxy what keeps it from routing by zone: an Event on its pod for each change.
import type { Caches } from '../cluster/caches.ts'
import type { Pod } from '../objects/objects.ts'
import { notTrusted, type ProxyFault, proxyFaultOf } from '../plan/proxy-faults.ts'
import type { Event } from './events.ts'

type View = Pick<Caches, 'zoneOfNode' | 'proxyPods'>

export class ProxyTeller {
  readonly #view: View
  readonly #tell: (event: Event) => void
  /** what was told last, by `namespace/name` */
  readonly #told = new Map<string, string>()

  constructor(view: View, tell: (event: Event) => void) {
    this.#view = view
    this.#tell = tell
  }

  /** `pod` is undefined when it is gone. */
  look(key: string, pod: Pod | undefined): void {
    const fault = pod && faultOf(pod, this.#view)
    if (pod === undefined || fault === undefined) {
      this.#told.delete(key)
      return
    }
    const { namespace, name, uid } = pod
    const told = `${uid} ${fault.message}`
    if (this.#told.get(key) === told) return
    this.#told.set(key, told)
    this.#tell({ regarding: { kind: 'Pod', namespace, name, uid }, type: 'Warning', ...fault })
  }
}

/** How many proxies are in which state: `Prepared`, or what keeps them from routing by zone. */
export function proxyStates(view: View): ReadonlyMap<string, number> {
  const states = [...view.proxyPods.values()]
    .filter(({ ended }) => !ended)
    .map((pod) => faultOf(pod, view)?.reason ?? 'Prepared')
  return new Map([...Map.groupBy(states, (state) => state)].map(([state, { length }]) => [state, length]))
}

/** Those that take traffic, and of which nothing is known that keeps them from routing by zone. */
export function preparedProxies(view: View): Pod[] {
  return [...view.proxyPods.values()].filter((pod) => {
    const reason = faultOf(pod, view)?.reason
    return pod.isReadyProxy && !pod.ended && (reason === undefined || reason === 'ConfigMapUnread')
  })
}

function faultOf(pod: Pod, { zoneOfNode, proxyPods }: View): ProxyFault | undefined {
  if (pod.proxy !== undefined && !proxyPods.isTrusted(pod)) return notTrusted
  return proxyFaultOf(pod, zoneOfNode, (name) => proxyPods.isUnread(name))
}
