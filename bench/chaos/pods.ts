// All pods of the cluster as they come and go: where each one is or was, by its name, and which ones are ready.
import type { V1Pod } from '@kubernetes/client-node'
import { Informer } from '../../lib/informer.ts'
import type { Kube } from '../../lib/kube.ts'

export interface Placed {
  name: string
  namespace: string
  node: string
  zone: string
  address: string
  labels: Readonly<Record<string, string>>
  isReady: boolean
  isLeaving: boolean
}

export class Pods {
  readonly #informer: Informer<Placed>
  /** also of those that are gone: their last answers are still to be told apart */
  readonly #zones = new Map<string, string>()

  constructor(kube: Kube, zoneOfNode: (node: string) => string, onChange: () => void) {
    this.#informer = new Informer<Placed>({
      kube,
      path: '/api/v1/pods',
      project: (object) => place(object as V1Pod, zoneOfNode),
      onChange: (now) => {
        if (now?.zone) this.#zones.set(now.name, now.zone)
        onChange()
      },
      timing: { mostRetry: 1_000 },
    })
  }

  async start(): Promise<void> {
    this.#informer.start()
    await this.#informer.synced()
  }

  stop(): void {
    this.#informer.stop()
  }

  zoneOf(name: string): string | undefined {
    return this.#zones.get(name)
  }

  all(): Placed[] {
    return [...this.#informer.values()]
  }

  /** Those of a namespace that carry the label, by name. */
  of(namespace: string, label: string, value: string): Placed[] {
    return this.all()
      .filter((pod) => pod.namespace === namespace && pod.labels[label] === value)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }
}

function place({ metadata = {}, spec, status }: V1Pod, zoneOfNode: (node: string) => string): Placed {
  const node = spec?.nodeName ?? ''
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    node,
    zone: zoneOfNode(node),
    address: status?.podIP ?? '',
    labels: metadata.labels ?? {},
    isReady:
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false,
    isLeaving: metadata.deletionTimestamp !== undefined,
  }
}
