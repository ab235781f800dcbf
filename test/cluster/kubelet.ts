// Stands in for the kubelets of all nodes: starts a worker for each pod that is bound to one of them, and tells it
// what changes. It runs no images: a container is its command, run on this machine in the pod's network.
import { mkdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { V1ConfigMap, V1Pod, V1Secret } from '@kubernetes/client-node'
import { Informer } from '../../lib/informer.ts'
import type { Kube, KubeObject } from '../../lib/kube.ts'
import { dnsAddress, type Network } from './network.ts'
import { keepAlive, type NodeSketch, registerNode } from './nodes.ts'
import type { VolumeSources } from './pod-volumes.ts'
import { PodWorker } from './pod-worker.ts'

export interface KubeletOptions {
  kube: Kube
  network: Network
  nodes: NodeSketch[]
  folder: string
  onError: (error: unknown) => void
}

/** A pod by its name; objects from the API will do. */
export interface PodRef {
  metadata?: { namespace?: string; name?: string }
}

export class Kubelet {
  /** How late each change of a Secret reaches the pods; with a real kubelet it takes up to a minute and a half. */
  secretDelayMs = 0
  readonly #options: KubeletOptions
  readonly #workers = new Map<string, PodWorker>()
  readonly #stopping = new AbortController()
  readonly #pods: Informer<V1Pod>
  readonly #configMaps: Informer<V1ConfigMap>
  readonly #secrets: Informer<V1Secret>
  /** What pods see of the Secrets. */
  readonly #delivered = new Map<string, V1Secret>()

  constructor(options: KubeletOptions) {
    this.#options = options
    const { kube } = options
    const whole = <T>(object: KubeObject) => object as T
    this.#pods = new Informer<V1Pod>({
      kube,
      path: '/api/v1/pods',
      query: { fieldSelector: 'spec.nodeName!=' },
      project: whole<V1Pod>,
      onChange: (now, before) => this.#podChanged(now, before),
    })
    this.#configMaps = new Informer<V1ConfigMap>({
      kube,
      path: '/api/v1/configmaps',
      project: whole<V1ConfigMap>,
      onChange: (now, before) => this.#refresh((now ?? before)?.metadata?.namespace),
    })
    this.#secrets = new Informer<V1Secret>({
      kube,
      path: '/api/v1/secrets',
      project: whole<V1Secret>,
      onChange: (now, before) => void this.#deliver(now, before),
    })
  }

  /** Resolves when the nodes are there and pods that are bound to them get started. */
  async start(): Promise<void> {
    const { kube, nodes, folder } = this.#options
    for (const name of ['logs', 'resolv', 'pods']) mkdirSync(join(folder, name), { recursive: true })
    await Promise.all(nodes.map((node) => registerNode(kube, node)))
    keepAlive(kube, nodes, this.#stopping.signal)
    const informers = [this.#configMaps, this.#secrets, this.#pods]
    for (const informer of informers) informer.start()
    await Promise.all(informers.map((informer) => informer.synced()))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const informer of [this.#pods, this.#configMaps, this.#secrets]) informer.stop()
    await Promise.all([...this.#workers.values()].map((worker) => worker.discard()))
  }

  /** As when their machines' power fails: addresses first, then processes; the API isn't told. */
  async vanish(pods: PodRef[]): Promise<void> {
    await Promise.all(pods.map((pod) => this.#worker(pod).vanish()))
  }

  async restore(pods: PodRef[]): Promise<void> {
    await Promise.all(pods.map((pod) => this.#worker(pod).restore()))
  }

  /** Runs a command in the pod's first container, as `kubectl exec` does; returns standard output. */
  exec(pod: PodRef, argv: string[]): Promise<string> {
    return this.#worker(pod).exec(argv)
  }

  /** What the pod has as /run lies in `containers/<name>`, its volumes in `volumes/<name>`. */
  podFolder(pod: PodRef): string {
    return this.#worker(pod).folder
  }

  /** What the pod's container has printed so far, over all its restarts; known after the pod's end, too. */
  logs(pod: PodRef, container?: string): Promise<string> {
    const { namespace = 'default', name = '' } = pod.metadata ?? {}
    const first = this.#pods.get(namespace, name)?.spec?.containers[0]?.name
    return readFile(this.#logFile(namespace, name, container ?? first ?? ''), 'utf8')
  }

  #podChanged(now: V1Pod | undefined, before: V1Pod | undefined): void {
    const gone = before?.metadata?.uid
    if (gone && gone !== now?.metadata?.uid) {
      this.#workers.get(gone)?.discard().catch(this.#options.onError)
      this.#workers.delete(gone)
    }
    const node = this.#options.nodes.find(({ name }) => name === now?.spec?.nodeName)
    if (!now?.metadata?.uid || !node || this.#stopping.signal.aborted) return
    const known = this.#workers.get(now.metadata.uid)
    const hasEnded = now.status?.phase === 'Succeeded' || now.status?.phase === 'Failed'
    if (!known && hasEnded && !now.metadata.deletionTimestamp) return
    const worker = known ?? this.#createWorker(now, node)
    this.#workers.set(now.metadata.uid, worker)
    worker.update(now)
  }

  #createWorker(pod: V1Pod, node: NodeSketch): PodWorker {
    const { kube, network, folder, onError } = this.#options
    const { namespace = '', name = '', uid = '' } = pod.metadata ?? {}
    const resolvConf = join(folder, 'resolv', namespace)
    writeFileSync(resolvConf, resolvConfOf(namespace))
    return new PodWorker(pod, {
      kube,
      network,
      zone: node.zone,
      hostAddress: node.address,
      folder: join(folder, 'pods', uid),
      logFile: (container) => this.#logFile(namespace, name, container),
      mounts: [{ from: resolvConf, to: resolvConfPath() }],
      sources: {
        configMap: (name) => this.#configMaps.get(namespace, name),
        secret: (name) => this.#delivered.get(`${namespace}/${name}`),
        token: createTokens(kube, pod),
      },
      onError,
    })
  }

  async #deliver(now: V1Secret | undefined, before: V1Secret | undefined): Promise<void> {
    const { namespace, name } = (now ?? before)?.metadata ?? {}
    const { signal } = this.#stopping
    if (this.secretDelayMs > 0) await pause(this.secretDelayMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    if (now) this.#delivered.set(`${namespace}/${name}`, now)
    else this.#delivered.delete(`${namespace}/${name}`)
    this.#refresh(namespace)
  }

  #refresh(namespace: string | undefined): void {
    for (const pod of this.#pods.values()) {
      if (pod.metadata?.namespace === namespace) this.#workers.get(pod.metadata?.uid ?? '')?.refresh()
    }
  }

  #worker({ metadata: { namespace = 'default', name = '' } = {} }: PodRef): PodWorker {
    const worker = this.#workers.get(this.#pods.get(namespace, name)?.metadata?.uid ?? '')
    if (!worker) throw new Error(`pod ${namespace}/${name} runs on no node of this cluster`)
    return worker
  }

  #logFile(namespace: string, pod: string, container: string): string {
    return join(this.#options.folder, 'logs', `${namespace}_${pod}_${container}.log`)
  }
}

/** Tokens of the pod's service account, one for each audience, asked for once: they outlive any test. */
function createTokens(kube: Kube, { metadata = {}, spec }: V1Pod): VolumeSources['token'] {
  const account = spec?.serviceAccountName ?? 'default'
  const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${account}/token`
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid }
  const tokens = new Map<string | undefined, Promise<string>>()
  const ask = async (audience: string | undefined) => {
    const audiences = audience === undefined ? [] : [audience]
    const body = { spec: { audiences, boundObjectRef, expirationSeconds: 86_400 } }
    const answer = await kube.request<{ status: { token: string } }>({ method: 'POST', path, body })
    return answer.status.token
  }
  return (audience) => {
    const token = tokens.get(audience) ?? ask(audience)
    tokens.set(audience, token)
    token.catch(() => tokens.delete(audience))
    return token
  }
}

function resolvConfOf(namespace: string): string {
  const search = `${namespace}.svc.cluster.local svc.cluster.local cluster.local`
  return `nameserver ${dnsAddress}\nsearch ${search}\noptions ndots:5\n`
}

/** The file itself, which /etc/resolv.conf may be a link to; below /run it is hidden by now. */
function resolvConfPath(): string {
  try {
    return realpathSync('/etc/resolv.conf')
  } catch {
    return resolve('/etc', readlinkSync('/etc/resolv.conf'))
  }
}
