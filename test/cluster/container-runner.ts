// Keeps one container of a pod running, as the pod's restartPolicy has it, and knows its state.
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Container } from '@kubernetes/client-node'
import type { Container } from './container.ts'
import { MissingSource } from './pod-env.ts'
import type { ContainerSketch } from './pod-status.ts'
import { watchProbe } from './probe.ts'

export interface RunnerOptions {
  spec: V1Container
  restartPolicy: string
  /** Makes everything ready and starts the process. After a MissingSource it is tried again when wake() is called. */
  start: () => Promise<Container>
  address: () => string
  /** Nothing is started after this. */
  ending: AbortSignal
  /** While it is pending, nothing is started and probes aren't heard. */
  vanished: () => Promise<void> | undefined
  onChange: () => void
  onError: (error: unknown) => void
}

// Kubernetes waits for 10 s and more; tests shall not.
const backOffMs = { first: 500, most: 5_000, forgottenAfter: 10_000 }

export class ContainerRunner {
  readonly #options: RunnerOptions
  #sketch: ContainerSketch
  #container: Container | undefined
  #woken = Promise.withResolvers<void>()

  constructor(options: RunnerOptions) {
    const { name, image = '' } = options.spec
    this.#options = options
    this.#sketch = {
      name,
      image,
      ready: false,
      restartCount: 0,
      state: { waiting: { reason: 'ContainerCreating' } },
    }
  }

  get spec(): V1Container {
    return this.#options.spec
  }

  get sketch(): ContainerSketch {
    return this.#sketch
  }

  /** Undefined while none runs. */
  get container(): Container | undefined {
    return this.#container
  }

  /** Something that the container refers to has changed. */
  wake(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }

  /** Resolves when the container has ended for good. */
  async run(): Promise<void> {
    const { ending, vanished } = this.#options
    let wait = backOffMs.first
    while (!ending.aborted) {
      await vanished()
      const container = await this.#startWhenPossible()
      if (!container) return
      const startedAt = performance.now()
      const exitCode = await this.#runOnce(container)
      await vanished()
      const terminated = {
        exitCode,
        reason: exitCode === 0 ? 'Completed' : 'Error',
        startedAt: container.startedAt,
        finishedAt: new Date().toISOString(),
      }
      this.#change({ ready: false, state: { terminated } })
      if (!this.#mustRestart(exitCode)) return
      if (performance.now() - startedAt > backOffMs.forgottenAfter) wait = backOffMs.first
      const waiting = { reason: 'CrashLoopBackOff', message: `started again in ${wait / 1000} s` }
      const restartCount = this.#sketch.restartCount + 1
      this.#change({ restartCount, state: { waiting }, lastState: { terminated } })
      await pause(wait, undefined, { signal: ending }).catch(() => {})
      wait = Math.min(wait * 2, backOffMs.most)
    }
  }

  async #runOnce(container: Container): Promise<number> {
    const { spec, ending, vanished } = this.#options
    this.#container = container
    // the pod was ended, or vanished, while this was being started
    if (ending.aborted || vanished()) container.kill()
    this.#change({ ready: !spec.readinessProbe, state: { running: { startedAt: container.startedAt } } })
    const probing = new AbortController()
    this.#probe(container, probing.signal)
    const { exitCode } = await container.ended
    probing.abort()
    this.#container = undefined
    return exitCode
  }

  /** Undefined when the pod ends before. */
  async #startWhenPossible(): Promise<Container | undefined> {
    const { start, ending } = this.#options
    const ended = new Promise((resolve) => ending.addEventListener('abort', resolve, { once: true }))
    while (!ending.aborted) {
      const woken = this.#woken.promise
      try {
        return await start()
      } catch (error) {
        const isMissing = error instanceof MissingSource
        const reason = isMissing ? 'CreateContainerConfigError' : 'CreateContainerError'
        const message = error instanceof Error ? error.message : String(error)
        this.#change({ state: { waiting: { reason, message } } })
        await Promise.race([isMissing ? woken : pause(1_000), ended])
      }
    }
    return undefined
  }

  #probe(container: Container, signal: AbortSignal): void {
    const { spec, address, vanished, onError } = this.#options
    const watch = (kind: 'readinessProbe' | 'livenessProbe', onChange: (succeeds: boolean) => void) => {
      const probe = spec[kind]
      if (!probe) return
      watchProbe({
        container: spec,
        probe,
        address: address(),
        signal,
        eager: kind === 'readinessProbe',
        onChange: (succeeds) => vanished() || onChange(succeeds),
      }).catch(onError)
    }
    watch('readinessProbe', (ready) => this.#change({ ready }))
    watch('livenessProbe', (succeeds) => succeeds || container.kill())
  }

  #mustRestart(exitCode: number): boolean {
    const { restartPolicy, ending } = this.#options
    return (
      !ending.aborted && (restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0))
    )
  }

  #change(change: Partial<ContainerSketch>): void {
    this.#sketch = { ...this.#sketch, ...change }
    this.#options.onChange()
  }
}
