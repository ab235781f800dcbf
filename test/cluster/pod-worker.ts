// Life of one pod on its node: address, volumes, containers, reports, end. The kubelet tells it what the API says of
// the pod; it tells the API what has become of the pod.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Container, V1Pod } from '@kubernetes/client-node'
import { imageFolder } from '../../image/sources.ts'
import type { Kube } from '../../lib/kube.ts'
import { runCommand } from './command.ts'
import { type Container, type Mount, startContainer } from './container.ts'
import { ContainerRunner } from './container-runner.ts'
import { environmentOf, expand, MissingSource, type PodAddresses } from './pod-env.ts'
import { placeMounts } from './pod-mounts.ts'
import type { PodNetwork } from './pod-network.ts'
import { createReporter, persist, type Reporter } from './pod-reporter.ts'
import { statusOf } from './pod-status.ts'
import { filesOf, type VolumeSources } from './pod-volumes.ts'
import { root, searchPath } from './tools.ts'
import { createVolumeWriter } from './volume-writer.ts'

export interface PodContext {
  kube: Kube
  network: PodNetwork
  zone: string
  hostAddress: string
  /** The pod's own; nobody else's files lie there. */
  folder: string
  /** Log of one container; it outlives the pod. */
  logFile: (container: string) => string
  /** Mounted into every container, such as /etc/resolv.conf. */
  mounts: Mount[]
  /** What the pod refers to in its own namespace, from caches. */
  sources: VolumeSources
  onError: (error: unknown) => void
}

export class PodWorker {
  readonly #context: PodContext
  readonly #runners: ContainerRunner[]
  readonly #ending = new AbortController()
  readonly #volumes = createVolumeWriter()
  readonly #reporter: Reporter
  readonly #life: Promise<void>
  #pod: V1Pod
  #address: string | undefined
  #vanished: PromiseWithResolvers<void> | undefined
  #ended: Promise<void> | undefined
  #discarded: Promise<void> | undefined

  constructor(pod: V1Pod, context: PodContext) {
    this.#pod = pod
    this.#context = context
    this.#reporter = createReporter(pod, context.kube)
    this.#runners = (pod.spec?.containers ?? []).map(
      (spec) =>
        new ContainerRunner({
          spec,
          restartPolicy: pod.spec?.restartPolicy ?? 'Always',
          start: () => this.#start(spec),
          address: () => this.#addresses().pod,
          ending: this.#ending.signal,
          vanished: () => this.#vanished?.promise,
          onChange: () => this.#report(),
          onError: context.onError,
        }),
    )
    this.#life = this.#live().catch(context.onError)
  }

  get folder(): string {
    return this.#context.folder
  }

  /** What the API says now. A pod that is to be deleted is ended and then removed from the API. */
  update(pod: V1Pod): void {
    this.#pod = pod
    if (pod.metadata?.deletionTimestamp && !this.#vanished) void this.end()
    // whoever hears nothing of a node declares its pods unready
    else if (isUnready(pod) && this.#runners.every(({ sketch }) => sketch.ready)) this.#report()
  }

  /** A ConfigMap or Secret changed: volumes are written again, and containers that wait for one go on. */
  async refresh(): Promise<void> {
    for (const runner of this.#runners) runner.wake()
    if (!this.#address || this.#vanished || this.#ending.signal.aborted) return
    // what a pod refers to may go while it runs: it keeps the files
    await this.#writeVolumes().catch((error: unknown) => {
      if (!(error instanceof MissingSource)) this.#context.onError(error)
    })
  }

  /** As when the machine's power fails: address first, then processes, and the API isn't told. */
  async vanish(): Promise<void> {
    if (this.#vanished || this.#ending.signal.aborted) return
    this.#vanished = Promise.withResolvers()
    if (this.#address) await this.#context.network.removeAddress(this.#address)
    const containers = this.#runners.map(({ container }) => container)
    for (const container of containers) container?.kill()
    await Promise.all(containers.map((container) => container?.ended))
  }

  /** Resolves when the address is back; the containers are restarted. */
  async restore(): Promise<void> {
    const vanished = this.#vanished
    if (!vanished) return
    if (this.#address) await this.#context.network.addAddress(this.#address)
    this.#vanished = undefined
    vanished.resolve()
    this.update(this.#pod)
  }

  async exec(argv: string[]): Promise<string> {
    const container = this.#runners[0]?.container
    if (!container) throw new Error(`pod ${this.#pod.metadata?.name} runs no container just now`)
    const enter = ['nsenter', '--target', String(container.pid), '--mount', '--net', '--uts', '--']
    const command = ['sh', '-c', 'cd "$0" && exec "$@"', root, ...argv]
    return runCommand([...enter, ...command], { env: container.env })
  }

  /** SIGTERM, grace, SIGKILL, address gone, object gone. */
  end(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  /** The object is gone from the API, or the whole cluster ends: no grace, no report. */
  discard(): Promise<void> {
    this.#discarded ??= this.#discard()
    return this.#discarded
  }

  async #live(): Promise<void> {
    await mkdir(this.#context.folder, { recursive: true })
    if (this.#ending.signal.aborted) return
    this.#address = await this.#context.network.addPod(this.#context.zone)
    await Promise.all(this.#runners.map((runner) => runner.run()))
  }

  async #start(spec: V1Container): Promise<Container> {
    const { network, folder, sources, mounts, logFile } = this.#context
    if (this.#pod.spec?.initContainers?.length || spec.startupProbe) {
      throw new Error('initContainers and startupProbe are not known to the stand-in for the kubelet')
    }
    await this.#writeVolumes()
    const env = environmentOf(this.#pod, spec, this.#addresses(), sources)
    const [program, ...args] = [...(spec.command ?? []), ...(spec.args ?? [])].map((word) =>
      expand(word, env),
    )
    if (program === undefined || !spec.command) {
      throw new Error(`container ${spec.name} has no command: the stand-in for the kubelet runs no images`)
    }
    const hostname = this.#pod.metadata?.name ?? ''
    const volumeMounts = (spec.volumeMounts ?? []).map(({ name, mountPath, subPath = '' }) => ({
      from: join(this.#volumeFolder(name), subPath),
      to: mountPath,
    }))
    const runFolder = join(folder, 'containers', spec.name)
    // a container starts with nothing but its volumes
    await rm(runFolder, { recursive: true, force: true })
    await mkdir(runFolder, { recursive: true })
    return startContainer({
      enter: network.enterPod(this.#addresses().pod),
      hostname,
      // of our image there is what is in it; of others, whatever is in the project
      workingFolder: /\/zonefirst[:@]/.test(spec.image ?? '') ? imageFolder : root,
      runFolder,
      mounts: placeMounts(runFolder, [...mounts, ...volumeMounts]),
      argv: [program === 'node' ? process.execPath : program, ...args],
      env: { PATH: searchPath, HOME: '/root', HOSTNAME: hostname, ...env },
      log: logFile(spec.name),
    })
  }

  async #writeVolumes(): Promise<void> {
    for (const volume of this.#pod.spec?.volumes ?? []) {
      const files = await filesOf(this.#pod, volume, this.#addresses(), this.#context.sources)
      const folder = this.#volumeFolder(volume.name)
      await mkdir(folder, { recursive: true })
      if (files) await this.#volumes.write(folder, files)
    }
  }

  async #end(): Promise<void> {
    const { deletionGracePeriodSeconds: seconds = 30, namespace, name, uid } = this.#pod.metadata ?? {}
    this.#ending.abort()
    const graceIsOver = pause(seconds * 1000, undefined, { ref: false })
    await Promise.race([Promise.all(this.#runners.map((runner) => this.#stop(runner))), graceIsOver])
    await this.discard()
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`
    const body = { gracePeriodSeconds: 0, preconditions: { uid } }
    await persist(() => this.#context.kube.request({ method: 'DELETE', path, body }))
  }

  /** Resolves when the container has ended by itself. */
  async #stop({ spec, container }: ContainerRunner): Promise<void> {
    const { preStop } = spec.lifecycle ?? {}
    if (preStop?.sleep) await pause(preStop.sleep.seconds * 1000)
    if (preStop?.exec?.command) await this.exec(preStop.exec.command).catch(this.#context.onError)
    container?.signal('SIGTERM')
    await container?.ended
  }

  async #discard(): Promise<void> {
    const { network, folder } = this.#context
    this.#ending.abort()
    this.#vanished?.resolve()
    for (const { container } of this.#runners) container?.kill()
    await this.#life
    if (this.#address) await network.removePod(this.#address)
    await rm(folder, { recursive: true, force: true })
  }

  #report(): void {
    if (this.#vanished) return
    const containers = this.#runners.map(({ sketch }) => sketch)
    const addresses = { host: this.#context.hostAddress, pod: this.#address }
    this.#reporter.report((before) =>
      statusOf(this.#pod, containers, addresses, new Date().toISOString(), before),
    )
  }

  #addresses(): PodAddresses {
    return { pod: this.#address ?? '', host: this.#context.hostAddress }
  }

  #volumeFolder(name: string): string {
    return join(this.#context.folder, 'volumes', name)
  }
}

function isUnready({ status }: V1Pod): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'False') ?? false
}
