// The ingress controllers' pods: where those are that take traffic, and what their controllers' own ConfigMaps say.

import { keyOf } from '../objects/key.ts'
import type { Pod } from '../objects/objects.ts'
import { isTrusted } from '../plan/proxy-faults.ts'
import { ConfigMaps, type ConfigMapsOptions } from './config-maps.ts'

export interface ProxyPodsOptions extends ConfigMapsOptions {
  /** Those whose pods are believed to be proxies; empty: all. */
  namespaces: readonly string[]
}

export class ProxyPods {
  /** the controllers' settings */
  readonly configMaps: ConfigMaps
  /** their lists of TCP services */
  readonly tcpServices: ConfigMaps
  readonly #pods = new Map<string, Pod>()
  readonly #namespaces: readonly string[]

  constructor(options: ProxyPodsOptions) {
    this.#namespaces = options.namespaces
    this.configMaps = new ConfigMaps(options)
    this.tcpServices = new ConfigMaps(options)
  }

  values(): IterableIterator<Pod> {
    return this.#pods.values()
  }

  isTrusted({ namespace }: Pick<Pod, 'namespace'>): boolean {
    return isTrusted(namespace, this.#namespaces)
  }

  /** Takes notice of a pod that changed; whether that changes where traffic arrives. */
  note(now: Pod | undefined, before: Pod | undefined): boolean {
    const pod = now ?? before
    if (pod === undefined || (now?.proxy === undefined && before?.proxy === undefined)) return false
    if (!this.isTrusted(pod)) return false
    const key = keyOf(pod.namespace, pod.name)
    if (now?.proxy === undefined) this.#pods.delete(key)
    else this.#pods.set(key, now)
    this.#follow(this.configMaps, 'configMap')
    this.#follow(this.tcpServices, 'tcpServices')
    const [isReady, wasReady] = [now?.isReadyProxy === true, before?.isReadyProxy === true]
    return isReady !== wasReady || (isReady && now?.nodeName !== before?.nodeName)
  }

  isUnread(configMap: string): boolean {
    return this.configMaps.isUnread(configMap) || this.tcpServices.isUnread(configMap)
  }

  stop(): void {
    this.configMaps.stop()
    this.tcpServices.stop()
  }

  #follow(configMaps: ConfigMaps, field: 'configMap' | 'tcpServices'): void {
    const names = [...this.#pods.values()].map(({ proxy }) => proxy?.[field])
    configMaps.follow(new Set(names.filter((name) => name !== undefined)))
  }
}
