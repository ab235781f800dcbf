// The annotator without its surroundings: caches, queues and the work on their keys. When it may write is the caller's.
import type { Kube } from '../lib/kube.ts'
import { Caches } from './cluster/caches.ts'
import { keysOfPod } from './cluster/triggers.ts'
import { EffectWatch } from './events/effect-watch.ts'
import { type Event, postEvent } from './events/events.ts'
import { readBackendMetrics } from './events/proxy-metrics.ts'
import { ProxyTeller, preparedProxies } from './events/proxy-teller.ts'
import { podWrites } from './plan/stamps.ts'
import { Reconciler, type ReconcilerOptions } from './reconcile.ts'
import { Workqueue } from './workqueue.ts'
import { writePod } from './write/write-pod.ts'
import { publishZones } from './write/zones-config-map.ts'

export interface ControllerOptions extends Omit<ReconcilerOptions, 'caches' | 'kube' | 'now' | 'tell'> {
  /** The informers'. */
  reading: Kube
  /** Everything else's. */
  writing: Kube
  /** see caches.ts */
  zoneShares: ReadonlyMap<string, number>
  proxyNamespaces?: readonly string[]
  /** of the proxies' statistics; 0: nobody looks */
  statsPort: number
  /** ms between two looks at them */
  effectInterval: number
  /** how many Services are worked on at once */
  workers: number
  /** of the list of zones */
  namespace: string
  onBackfill: () => void
  /** Hears how long each look at a Service took, its writes included. */
  onReconciled?: (seconds: number) => void
  onEvent: (event: Event) => void
  onEventFailure: (event: Event, error: Error) => void
  onInformerFailure: (error: Error) => void
  /** A key is tried again. */
  onFailure: (key: string, error: Error) => void
}

export class Controller {
  readonly caches: Caches
  readonly effects: EffectWatch
  readonly #queues: readonly Workqueue[]
  readonly #looks: Workqueue
  readonly #watchesEffects: boolean
  #isWorking = false

  constructor(options: ControllerOptions) {
    const { reading, writing: kube, namespace, onBackfill, onFailure: onError } = options
    const tell = (event: Event) => {
      options.onEvent(event)
      postEvent(kube, event, new Date()).catch((error) => options.onEventFailure(event, error))
    }
    const caches = new Caches({
      kube: reading,
      enqueue: (key) => this.#add(services, key),
      enqueuePod: (key) => this.#add(pods, key),
      isRouted: (service) => reconciler.isRouted(service),
      configuredShares: options.zoneShares,
      customResources: options.dialect.customResources,
      ...(options.proxyNamespaces && { proxyNamespaces: options.proxyNamespaces }),
      onZones: () => this.#add(zones, 'zones'),
      onError: options.onInformerFailure,
    })
    const proxies = new ProxyTeller(caches, tell)
    const reconciler = new Reconciler({ ...options, kube, caches, tell, now: () => performance.now() })

    const services = new Workqueue({
      async work(key) {
        const startedAt = performance.now()
        try {
          return await reconciler.reconcile(key)
        } finally {
          options.onReconciled?.((performance.now() - startedAt) / 1_000)
        }
      },
      onError,
      workers: options.workers,
    })
    const pods = new Workqueue({
      async work(key) {
        const [podNamespace = '', name = ''] = key.split('/')
        const pod = caches.pods.get(podNamespace, name)
        proxies.look(key, pod)
        if (pod === undefined) return undefined
        const isLone = keysOfPod(pod, caches.selectors).length === 0
        const lone = {
          pods: isLone ? [pod] : [],
          zoneOfNode: caches.zoneOfNode,
          sharedPods: new Set<string>(),
        }
        for (const write of podWrites(lone, 'home')) await writePod(write, { kube, onBackfill })
        return undefined
      },
      onError,
      workers: 1,
    })
    const zones = new Workqueue({
      async work() {
        await publishZones(kube, namespace, caches.zones)
        return undefined
      },
      onError,
      workers: 1,
    })
    this.effects = new EffectWatch({
      routed: () => reconciler.routed,
      proxies: () => preparedProxies(caches),
      read: (address) => readBackendMetrics(address, options.statsPort),
      tell,
    })
    this.#looks = new Workqueue({
      work: async () => {
        await this.effects.look()
        return options.effectInterval
      },
      onError,
      workers: 1,
    })
    this.#watchesEffects = options.statsPort > 0
    this.caches = caches
    this.#queues = [services, pods, zones, this.#looks]
  }

  /** Looks at everything, and then at what changes. Until then nothing is kept of what changes but the caches. */
  startWork(): void {
    this.#isWorking = true
    this.caches.enqueueEverything()
    if (this.#watchesEffects) this.#looks.add('statistics')
    for (const queue of this.#queues) queue.start()
  }

  /** Begins no more work; resolves when none is under way. */
  async stopWork(): Promise<void> {
    this.#isWorking = false
    await Promise.all(this.#queues.map((queue) => queue.stop()))
  }

  #add(queue: Workqueue, key: string): void {
    if (this.#isWorking) queue.add(key)
  }
}
