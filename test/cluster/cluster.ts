// A whole cluster for tests and the demo: networks, control plane, nodes, and what people do with it.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kube } from '../../lib/kube.ts'
import { runCommand } from './command.ts'
import { type Component, createComponent } from './component.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { Kubelet } from './kubelet.ts'
import { createNetwork, type Network } from './network.ts'
import { nameNodes } from './nodes.ts'
import { bin, searchPath } from './tools.ts'
import { type UntilOptions, until } from './until.ts'

export interface ClusterOptions {
  zones: readonly string[]
  nodesPerZone?: number
  /** Of the API server, such as { PodTopologyLabelsAdmission: false }. */
  featureGates?: Record<string, boolean>
  /** More of the API server's command line. */
  apiServerFlags?: readonly string[]
}

export interface Cluster {
  readonly zones: readonly string[]
  readonly kube: Kube
  readonly kubeconfig: string
  readonly network: Network
  readonly controlPlane: ControlPlane
  readonly kubelet: Kubelet
  /** Everything lies here; it is gone with the cluster. */
  readonly folder: string
  /** The real kubectl, as administrator; returns standard output. */
  kubectl(...args: string[]): Promise<string>
  kubectlWithInput(input: string, ...args: string[]): Promise<string>
  /** `kubectl apply` of objects, or of a manifest's text. */
  apply(objects: object | object[] | string): Promise<string>
  /** Starts a further program beside the control plane, such as a controller; it ends with the cluster. */
  startProgram(name: string, argv: string[]): Component
  /** Waits for `check` to return something. Fails at once when a program of the cluster has died. */
  until<T>(
    description: string,
    check: () => Promise<T | undefined | false> | T | undefined | false,
    options?: Omit<UntilOptions, 'signal'>,
  ): Promise<T>
  stop(): Promise<void>
}

/** One at a time in a program, which has to import enter.ts first. */
export async function startCluster({
  zones,
  nodesPerZone = 1,
  featureGates,
  apiServerFlags,
}: ClusterOptions): Promise<Cluster> {
  const folder = '/run/zonefirst'
  const failure = new AbortController()
  const onError = (error: unknown) => {
    console.error(`test cluster: ${error instanceof Error ? error.message : error}`)
    failure.abort(error)
  }
  const network = await createNetwork(zones)
  const controlPlane = await startControlPlane({
    folder,
    featureGates,
    apiServerFlags,
    onUnexpectedEnd: onError,
  })
  const kube = controlPlane.connectAs('admin')
  const kubeconfig = controlPlane.kubeconfig('admin')
  const kubelet = new Kubelet({
    kube: controlPlane.connectAs('kubelet'),
    network,
    nodes: nameNodes(zones, nodesPerZone).map((node) => ({
      ...node,
      address: network.nodeAddress(node.zone),
    })),
    folder: join(folder, 'kubelet'),
    onError,
  })
  const programs: Component[] = []
  await kubelet.start()
  await until('pods can be created', () => acceptsPods(kube), { signal: failure.signal })

  const kubectlWithInput = (input: string, ...args: string[]) =>
    runCommand([join(bin, 'kubectl'), ...args], {
      input,
      env: { PATH: searchPath, HOME: folder, KUBECONFIG: kubeconfig },
    })
  return {
    zones,
    kube,
    kubeconfig,
    network,
    controlPlane,
    kubelet,
    folder,
    kubectl: (...args) => kubectlWithInput('', ...args),
    kubectlWithInput,
    apply(objects) {
      const items = Array.isArray(objects) ? { apiVersion: 'v1', kind: 'List', items: objects } : objects
      const input = typeof items === 'string' ? items : JSON.stringify(items)
      return kubectlWithInput(input, 'apply', '-f', '-')
    },
    startProgram(name, argv) {
      const log = join(folder, 'logs', `${name}.log`)
      const program = createComponent({ name, argv, log, onUnexpectedEnd: onError })
      programs.push(program)
      program.start()
      return program
    },
    until: (description, check, options) => until(description, check, { ...options, signal: failure.signal }),
    async stop() {
      await kubelet.stop()
      await Promise.all(programs.map((program) => program.stop()))
      await controlPlane.stop()
      await network.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The controllers have made what every pod needs, and taken the taint of new nodes away. */
async function acceptsPods(kube: Kube): Promise<boolean> {
  await kube.request({ method: 'GET', path: '/api/v1/namespaces/default/serviceaccounts/default' })
  await kube.request({ method: 'GET', path: '/api/v1/namespaces/default/configmaps/kube-root-ca.crt' })
  const nodes = await kube.request<{ items: { spec: { taints?: unknown[] } }[] }>({
    method: 'GET',
    path: '/api/v1/nodes',
  })
  return nodes.items.every(({ spec }) => !spec.taints?.length)
}
