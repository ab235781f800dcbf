// The cluster's Nodes: registered with their zone's labels, and kept alive by their Leases.
import type { V1Node } from '@kubernetes/client-node'
import { applyPatch, type Kube, mergePatch } from '../../lib/kube.ts'

export interface NodeSketch {
  name: string
  zone: string
  address: string
}

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
const renewEveryMs = 10_000

/** `node-<zone>-<n>` for each; a zone's name may hold what a Node's may not. */
export function nameNodes(zones: readonly string[], perZone: number): { name: string; zone: string }[] {
  return zones.flatMap((zone) =>
    Array.from({ length: perZone }, (_, index) => ({
      name: `node-${zone.toLowerCase().replace(/[^a-z0-9-]/g, '-')}-${index + 1}`,
      zone,
    })),
  )
}

export async function registerNode(kube: Kube, { name, zone, address }: NodeSketch): Promise<void> {
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'topology.kubernetes.io/region': 'test',
    'topology.kubernetes.io/zone': zone,
  }
  await kube.request({ method: 'POST', path: '/api/v1/nodes', body: { metadata: { name, labels } } })
  const resources = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '250' }
  const addresses = [
    { type: 'InternalIP', address },
    { type: 'Hostname', address: name },
  ]
  await patchStatus(kube, name, {
    capacity: resources,
    allocatable: resources,
    addresses,
    conditions: [readyCondition()],
  })
}

/** Renews the Leases until `signal` ends it, and takes back what was said of a Node that could not renew its own. */
export function keepAlive(kube: Kube, nodes: NodeSketch[], signal: AbortSignal): void {
  const renew = () => {
    for (const { name } of nodes) {
      const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() }
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec }
      const query = { fieldManager: 'kubelet', force: true }
      const contentType = applyPatch
      const path = `${leasePath}/${name}`
      // the next one comes soon enough
      kube.request({ method: 'PATCH', path, query, body, contentType, signal }).catch(() => {})
      declareReady(kube, name).catch(() => {})
    }
  }
  renew()
  const timer = setInterval(renew, renewEveryMs)
  signal.addEventListener('abort', () => clearInterval(timer))
}

async function declareReady(kube: Kube, name: string): Promise<void> {
  const { status } = await kube.request<V1Node>({ method: 'GET', path: `/api/v1/nodes/${name}` })
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status === 'Unknown') await patchStatus(kube, name, { conditions: [readyCondition()] })
}

async function patchStatus(kube: Kube, name: string, status: object): Promise<void> {
  const path = `/api/v1/nodes/${name}/status`
  await kube.request({ method: 'PATCH', path, body: { status }, contentType: mergePatch })
}

function readyCondition(): object {
  const now = new Date().toISOString()
  return {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }
}

function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z')
}
