// Pure: what an ingress controller's pod says of itself, in its spec and status: what it reads, and what keeps it from
// finding its own zone's pods.
import type { V1Container, V1PodSpec, V1PodStatus } from '@kubernetes/client-node'
import type { KubeObject } from '../../lib/kube.ts'
import { fieldManager, zoneKeyAnnotation } from '../../lib/names.ts'

export interface ProxyPod {
  address: string | undefined
  /** `namespace/name` of the ConfigMap that its command line names */
  configMap: string | undefined
  /** and of the one that lists TCP services */
  tcpServices: string | undefined
  /** of the variables that switch routing by zone on, those that none of its containers has */
  missing: readonly string[]
  /** its DNS policy gives it the Node's resolv.conf, in which names of the cluster are unknown */
  hasNodeDNS: boolean
  /** a container runs that was started before the pod had its zone */
  isStampedLate: boolean
}

interface Fields {
  'f:metadata'?: { 'f:annotations'?: Record<string, unknown> }
}

export function proxyPod(object: KubeObject): ProxyPod {
  const { metadata, spec, status } = object as KubeObject & { spec?: V1PodSpec; status?: V1PodStatus }
  const containers = spec?.containers ?? []
  const hasVariable = (name: string) =>
    containers.some(
      ({ env = [], envFrom = [] }) => envFrom.length > 0 || env.some((each) => each.name === name),
    )
  return {
    address: status?.podIP,
    configMap: configMapOf(containers, '--configmap', metadata.namespace ?? ''),
    tcpServices: configMapOf(
      containers,
      '--configmap-tcp-services|--tcp-services-configmap',
      metadata.namespace ?? '',
    ),
    missing: ['ZONE', 'ZONE_RESOLVERS'].filter((name) => !hasVariable(name)),
    hasNodeDNS: hasNodeDNS(spec),
    isStampedLate: isStampedLate(metadata, startsOf(containers, status)),
  }
}

/** Kubernetes itself expands variables there, of which a pod's own namespace is the one that is used so. */
function configMapOf(
  containers: readonly V1Container[],
  flags: string,
  ownNamespace: string,
): string | undefined {
  const words = containers.flatMap(({ command = [], args = [] }) => [...command, ...args]).join(' ')
  const flag = new RegExp(`(?:${flags})[= ]["']?([^\\s/"']{1,63})/([a-z0-9.-]{1,253})`)
  const [, namespace = '', name] = flag.exec(words) ?? []
  // both become parts of a request
  const found = namespace.startsWith('$') ? ownNamespace : namespace
  return name !== undefined && /^[a-z0-9-]+$/.test(found) ? `${found}/${name}` : undefined
}

function hasNodeDNS({ hostNetwork, dnsPolicy = 'ClusterFirst' }: Partial<V1PodSpec> = {}): boolean {
  return dnsPolicy === 'Default' || (hostNetwork === true && dnsPolicy === 'ClusterFirst')
}

/** When the running containers that read the zone were started. */
function startsOf(containers: readonly V1Container[], status: V1PodStatus | undefined): number[] {
  const readers = containers.filter(({ env = [] }) => env.some(({ name }) => name === 'ZONE'))
  const names = new Set(readers.map(({ name }) => name))
  return (status?.containerStatuses ?? [])
    .filter(({ name }) => names.has(name))
    .map(({ state }) => secondOf(state?.running?.startedAt))
}

/** The annotator gave it its zone, as its field manager shows, and a container runs that was started no later. */
function isStampedLate(metadata: KubeObject['metadata'], starts: readonly number[]): boolean {
  const stamps = (metadata.managedFields ?? []).filter(({ manager, fieldsV1 }) => {
    const fields = fieldsV1 as Fields | undefined
    const annotations = fields?.['f:metadata']?.['f:annotations'] ?? {}
    return manager === fieldManager && `f:${zoneKeyAnnotation}` in annotations
  })
  // one that was started within the same second may or may not know it
  return starts.some((start) => stamps.some(({ time }) => start <= secondOf(time)))
}

/** client-node's type is Date, JSON has text; the API server keeps seconds. */
function secondOf(time: Date | string | undefined): number {
  return time === undefined ? Number.NaN : Math.floor(new Date(time).getTime() / 1_000)
}
