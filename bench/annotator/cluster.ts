// A real control plane with Nodes that exist by name only: nothing runs on them, and this program says of their pods what
// a kubelet would. What the annotator needs is installed from the manifests, but its pods.
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { type Kube, mergePatch } from '../../lib/kube.ts'
import { runCommand } from '../../test/cluster/command.ts'
import { startControlPlane } from '../../test/cluster/control-plane.ts'
import { createNetwork } from '../../test/cluster/network.ts'
import { keepAlive, registerNode } from '../../test/cluster/nodes.ts'
import { bin, searchPath } from '../../test/cluster/tools.ts'
import { until } from '../../test/cluster/until.ts'
import { atOnce } from './at-once.ts'
import { type AuditedWrite, auditPolicy, parseAudit } from './audit.ts'
import {
  namespacesOf,
  nodeName,
  nodesPerZone,
  type PodSketch,
  podStatus,
  podsOf,
  proxyNamespace,
  proxyPods,
  serviceObjects,
  zones,
} from './objects.ts'

export const annotatorNamespace = 'zonefirst-system'
export const annotatorUser = `system:serviceaccount:${annotatorNamespace}:zonefirst-annotator`
export const installFile = 'manifests/install.yaml'
const kindsToInstall =
  /^(Namespace|ConfigMap|ServiceAccount|(Cluster)?Role(Binding)?|ValidatingAdmissionPolicy(Binding)?)$/
const writesAtOnce = 32

export interface LargeCluster {
  readonly kube: Kube
  readonly folder: string
  /** Every write that the audit log has until now: the annotator's, and the administrator's patches of pods. */
  writes(): Promise<AuditedWrite[]>
  createPod(pod: PodSketch): Promise<void>
  setStatus(pod: PodSketch, isReady: boolean): Promise<void>
  deletePod(pod: PodSketch): Promise<void>
  stop(): Promise<void>
}

export async function startLargeCluster(): Promise<LargeCluster> {
  const folder = '/run/zonefirst'
  await mkdir(folder, { recursive: true })
  const [policy, log] = [join(folder, 'audit-policy.json'), join(folder, 'audit.log')]
  await writeFile(policy, JSON.stringify(auditPolicy(annotatorUser)))
  await writeFile(log, '')
  const network = await createNetwork(zones)
  const controlPlane = await startControlPlane({
    folder,
    apiServerFlags: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-maxsize=10000'],
    onUnexpectedEnd(error) {
      throw error
    },
  })
  const kube = controlPlane.connectAs('admin')
  const kubelet = controlPlane.connectAs('kubelet')
  const ended = new AbortController()
  const nodes = zones.flatMap((zone) =>
    Array.from({ length: nodesPerZone }, (_, number) => ({
      name: nodeName(zone, number),
      zone,
      address: network.nodeAddress(zone),
    })),
  )
  await atOnce(nodes, writesAtOnce, (node) => registerNode(kubelet, node))
  keepAlive(kubelet, nodes, ended.signal)
  await install(controlPlane.kubeconfig('admin'), folder)

  const podPath = ({ namespace, name }: PodSketch) => `/api/v1/namespaces/${namespace}/pods/${name}`
  return {
    kube,
    folder,
    writes: followAudit(log),
    async createPod({ namespace, body }) {
      await kube.request({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body })
    },
    async setStatus(pod, isReady) {
      const body = { status: podStatus(pod.address, isReady) }
      const path = `${podPath(pod)}/status`
      await kubelet.request({ method: 'PATCH', path, body, contentType: mergePatch })
    },
    async deletePod(pod) {
      await kubelet.request({ method: 'DELETE', path: podPath(pod), body: { gracePeriodSeconds: 0 } })
    },
    async stop() {
      ended.abort()
      await controlPlane.stop()
      await network.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Proxies first, then the Services with their pods; resolves when each Service's EndpointSlice holds its ready pods. */
export async function fill(cluster: LargeCluster, services: number): Promise<void> {
  const { kube } = cluster
  const numbers = Array.from({ length: services }, (_, service) => service)
  const create = (path: string, body: object) => kube.request({ method: 'POST', path, body })
  for (const name of [proxyNamespace, ...namespacesOf(services)]) {
    await create('/api/v1/namespaces', { metadata: { name } })
    const account = `/api/v1/namespaces/${name}/serviceaccounts/default`
    await until(`${name} has its account`, () => kube.request({ method: 'GET', path: account }))
  }
  await create('/apis/networking.k8s.io/v1/ingressclasses', {
    metadata: { name: 'haproxy' },
    spec: { controller: 'haproxy.org/ingress-controller/haproxy' },
  })
  const start = async (pod: PodSketch) => {
    await cluster.createPod(pod)
    await cluster.setStatus(pod, true)
  }
  await atOnce(proxyPods(), writesAtOnce, start)
  await atOnce(numbers, writesAtOnce, async (number) => {
    const { service, ingress } = serviceObjects(number)
    const { namespace } = (service as { metadata: { namespace: string } }).metadata
    for (const pod of podsOf(number)) await start(pod)
    await create(`/api/v1/namespaces/${namespace}/services`, service)
    await create(`/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`, ingress)
  })
  await until('all pods are in EndpointSlices', () => hasEndpoints(kube, services), {
    timeoutMs: 180_000,
    intervalMs: 1_000,
  })
}

/** Reads only what has come since the last time: the log gets long, and this program shares the machine. */
function followAudit(log: string): () => Promise<AuditedWrite[]> {
  const writes: AuditedWrite[] = []
  let [offset, rest] = [0, '']
  return async () => {
    const file = await open(log)
    try {
      const { size } = await file.stat()
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - offset), 0, size - offset, offset)
      offset += bytesRead
      const lines = (rest + buffer.toString('utf8', 0, bytesRead)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) writes.push(parseAudit(line))
    } finally {
      await file.close()
    }
    return [...writes]
  }
}

interface Slices {
  items: { endpoints?: { conditions?: { ready?: boolean } }[] | null }[]
}

async function hasEndpoints(kube: Kube, services: number): Promise<boolean> {
  const path = '/apis/discovery.k8s.io/v1/endpointslices'
  const { items } = await kube.request<Slices>({ method: 'GET', path })
  const ready = items
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready)
  // the API server's own is one of them
  return ready.length >= podsOf(0).length * services
}

/** The annotator's account, permissions and policies, but none of the programs and what calls them. */
async function install(kubeconfig: string, folder: string): Promise<void> {
  const documents = parseAllDocuments(await readFile(installFile, 'utf8')).map((document) => document.toJS())
  const items = documents.filter((object) => object && kindsToInstall.test(object.kind))
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const env = { PATH: searchPath, HOME: folder, KUBECONFIG: kubeconfig }
  await runCommand([join(bin, 'kubectl'), 'apply', '-f', '-'], { input, env })
}
