// The annotator's view of the cluster: one informer a kind, and the indexes that find what belongs to one Service.
import { Informer, type InformerOptions } from '../../lib/informer.ts'
import type { Kube } from '../../lib/kube.ts'
import { enabledLabel, zonalServiceLabel } from '../../lib/names.ts'
import { proxiesByZone, sharesOf } from '../load-guard/shares.ts'
import { keyOf } from '../objects/key.ts'
import { Index } from '../objects/object-index.ts'
import type { Endpoints, Ingress, IngressClass, Node, Pod, Service } from '../objects/objects.ts'
import * as objects from '../objects/objects.ts'
import type { Route } from '../objects/routes.ts'
import { selectorIndex } from '../objects/selector.ts'
import { routesOfTCPServices } from '../objects/tcp-routes.ts'
import type { CustomResourcePaths } from '../plan/dialects/dialect.ts'
import type { Zone } from '../plan/input.ts'
import { zonalServiceIndex } from '../plan/zonal-services.ts'
import { CustomResources } from './custom-resources.ts'
import { endpointsIndex, ingressIndex, serviceIndex } from './indexes.ts'
import { NodeZones } from './node-zones.ts'
import { ProxyPods } from './proxy-pods.ts'
import { keysOfEndpoints, keysOfIngress, keysOfPod, keysOfService } from './triggers.ts'

export interface CachesOptions {
  kube: Kube
  /** Hears of every key that a change concerns. */
  enqueue: (key: string) => void
  /** Whether a Service carries an annotation of ours. */
  isRouted: (service: Service) => boolean
  /** by zone key; empty: as the ready proxies are spread */
  configuredShares: ReadonlyMap<string, number>
  /** see dialect.ts */
  customResources?: CustomResourcePaths
  /** see proxy-pods.ts */
  proxyNamespaces?: readonly string[]
  /** Hears of proxies, and of opted-in pods that no Service selects, by `namespace/name`. */
  enqueuePod: (key: string) => void
  /** Hears that the set of zones that have Nodes changed. */
  onZones: () => void
  onError: (error: Error) => void
}

/** What the ready proxies mean. */
interface Traffic {
  /** how many each zone has, by key */
  proxies: ReadonlyMap<string, number>
  shares: ReadonlyMap<string, number> | undefined
}

export class Caches {
  readonly services: Informer<Service>
  readonly ingresses: Informer<Ingress>
  readonly ingressClasses: Informer<IngressClass>
  readonly endpoints: Informer<Endpoints>
  readonly pods: Informer<Pod>
  readonly nodes: Informer<Node>
  readonly proxyPods: ProxyPods
  readonly customResources: CustomResources

  readonly servicesByNamespace = serviceIndex()
  /** by the primary's UID */
  readonly zonalServices = zonalServiceIndex()
  readonly endpointsByKey = endpointsIndex()
  readonly ingressesByKey = ingressIndex()
  readonly selectors = selectorIndex()
  readonly #options: CachesOptions
  readonly #podsByNode = new Index<Pod>(
    ({ nodeName }) => (nodeName === undefined ? [] : [nodeName]),
    ({ namespace, name }) => keyOf(namespace, name),
  )
  /** undefined after a change of what it is made of */
  #traffic: Traffic | undefined
  readonly #nodeZones = new NodeZones()

  constructor(options: CachesOptions) {
    const { kube, enqueue, isRouted, onZones, onError } = options
    this.#options = options
    const enqueueAll = (keys: Iterable<string>) => {
      for (const key of keys) enqueue(key)
    }
    const enqueueKeysOf = (pod: Pod) => this.#enqueueKeysOf(pod)
    this.proxyPods = new ProxyPods({
      kube,
      namespaces: options.proxyNamespaces ?? [],
      onChange: () => {
        this.#enqueueServices()
        for (const pod of this.proxyPods.values()) enqueueKeysOf(pod)
      },
      onError,
    })
    this.customResources = new CustomResources({
      kube,
      paths: options.customResources ?? { tcps: [], backends: [] },
      enqueue,
      onBackend: () => this.#enqueueServices(),
      onError,
    })
    const informer = <T>(options: Omit<InformerOptions<T>, 'kube' | 'onError'>) =>
      new Informer<T>({ kube, onError, ...options })

    this.services = informer({
      path: '/api/v1/services',
      project: objects.keepService,
      onChange: (now, before) => {
        for (const index of [this.servicesByNamespace, this.zonalServices, this.selectors])
          index.replace(now, before)
        const services = [now, before].filter((service) => service !== undefined)
        enqueueAll(services.flatMap(keysOfService))
        // others that select the same pods may lend them only as long as nobody else counts on them
        if (services.some(isRouted) && !(now && before && isRouted(now) && isRouted(before))) {
          enqueueAll(services.flatMap((service) => this.#keysOfSiblings(service)))
        }
      },
    })
    this.ingresses = informer({
      path: '/apis/networking.k8s.io/v1/ingresses',
      project: objects.keepIngress,
      onChange: (now, before) => {
        this.ingressesByKey.replace(now, before)
        enqueueAll([now, before].flatMap((ingress) => (ingress ? keysOfIngress(ingress) : [])))
      },
    })
    this.ingressClasses = informer({
      path: '/apis/networking.k8s.io/v1/ingressclasses',
      project: objects.keepIngressClass,
      onChange: () => enqueueAll(this.ingressesByKey.groups()),
    })
    this.endpoints = informer({
      path: '/apis/discovery.k8s.io/v1/endpointslices',
      // they have their Service's labels. Those of zonal Services, several times as many, tell nothing new
      query: { labelSelector: `!${zonalServiceLabel}` },
      project: objects.keepEndpoints,
      onChange: (now, before) => {
        this.endpointsByKey.replace(now, before)
        enqueueAll([now, before].flatMap((slice) => (slice ? keysOfEndpoints(slice) : [])))
      },
    })
    this.pods = informer({
      path: '/api/v1/pods',
      query: { labelSelector: `${enabledLabel}=true` },
      project: objects.keepPod,
      onChange: (now, before) => {
        this.#podsByNode.replace(now, before)
        for (const pod of [now, before]) if (pod) enqueueKeysOf(pod)
        if (!this.proxyPods.note(now, before)) return
        this.#traffic = undefined
        enqueueAll(this.#routedKeys())
      },
    })
    this.nodes = informer({
      path: '/api/v1/nodes',
      metadataOnly: true,
      project: objects.keepNode,
      onChange: (now, before) => {
        const changed = this.#nodeZones.note(now, before)
        if (!changed.node) return
        this.#traffic = undefined
        for (const pod of this.#podsByNode.get((now ?? before)?.name ?? '').values()) enqueueKeysOf(pod)
        if (!changed.zones) return
        this.#enqueueServices()
        onZones()
      },
    })
  }

  /** undefined where the Node has none */
  get zoneOfNode(): ReadonlyMap<string, string | undefined> {
    return this.#nodeZones.ofNode
  }

  /** Zones that have Nodes, sorted by key. */
  get zones(): readonly Zone[] {
    return this.#nodeZones.all
  }

  /** How many ready proxies each zone has, by key. */
  get proxies(): ReadonlyMap<string, number> {
    return this.#trafficNow().proxies
  }

  /** Each zone's share of the traffic, by key; undefined while no proxy is ready. */
  get shares(): ReadonlyMap<string, number> | undefined {
    return this.#trafficNow().shares
  }

  /** Contents of the ingress controllers' own ConfigMaps. */
  get controllerSettings(): readonly Readonly<Record<string, string>>[] {
    return this.proxyPods.configMaps.contents
  }

  /** The ports of a Service that TCP resources route to. */
  tcpRoutes(key: string): readonly Route[] {
    const { tcpServices } = this.proxyPods
    return [...this.customResources.routesTo(key), ...routesOfTCPServices(tcpServices.contents, key)]
  }

  get all(): Readonly<Record<string, Informer<never>>> {
    const { services, ingresses, ingressClasses, endpoints, pods, nodes } = this
    const others = this.customResources.informers
    return { services, ingresses, ingressClasses, endpoints, pods, nodes, ...others } as never
  }

  /** Starts every informer; resolves when all have their first whole list. */
  async start(): Promise<void> {
    const informers = Object.values(this.all)
    for (const informer of informers) informer.start()
    await Promise.all(informers.map((informer) => informer.synced()))
  }

  /** Names every key, as if everything had just come. */
  enqueueEverything(): void {
    this.#enqueueServices()
    for (const pod of this.pods.values()) this.#enqueueKeysOf(pod)
    this.#options.onZones()
  }

  stop(): void {
    for (const informer of Object.values(this.all)) informer.stop()
    this.proxyPods.stop()
  }

  #trafficNow(): Traffic {
    if (this.#traffic === undefined) {
      const proxies = proxiesByZone(this.proxyPods.values(), this.zoneOfNode)
      this.#traffic = { proxies, shares: sharesOf(this.#options.configuredShares, proxies) }
    }
    return this.#traffic
  }

  #enqueueServices(): void {
    for (const service of this.services.values()) keysOfService(service).forEach(this.#options.enqueue)
  }

  #enqueueKeysOf(pod: Pod): void {
    const keys = keysOfPod(pod, this.selectors)
    for (const key of keys) this.#options.enqueue(key)
    if (keys.length === 0 || pod.proxy !== undefined) this.#options.enqueuePod(keyOf(pod.namespace, pod.name))
  }

  /** Keys of Services that select pods of this one, its own among them. */
  #keysOfSiblings({ metadata }: Service): string[] {
    const { namespace = '', name = '' } = metadata
    const slices = [...this.endpointsByKey.get(keyOf(namespace, name)).values()]
    const pods = slices.flatMap(({ pods }) => pods.map((pod) => this.pods.get(namespace, pod)))
    return pods.flatMap((pod) => (pod ? keysOfPod(pod, this.selectors) : []))
  }

  #routedKeys(): string[] {
    const zonal = [...this.services.values()].filter(({ metadata }) => metadata.labels?.[zonalServiceLabel])
    return zonal.flatMap(keysOfService)
  }
}
