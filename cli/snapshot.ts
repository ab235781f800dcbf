// One reading of the cluster, of all that decides how Services are treated: what the annotator's informers see, and where
// its own records are. Plain data: what it means is other files' affair.
import type { V1ConfigMap, V1Deployment, V1EndpointSlice, V1Pod } from '@kubernetes/client-node'
import { type Ingress, type IngressClass, keepPod, type Service } from '../annotator/objects.ts'
import { ApiError, acceptMetadataList, isNotFound, type Kube, type KubeObject } from '../lib/kube.ts'
import { enabledLabel, fieldManager } from '../lib/names.ts'
import { installationOf } from './installation.ts'

export type Pod = V1Pod & KubeObject
export type EndpointSlice = V1EndpointSlice & KubeObject
export type Deployment = V1Deployment & KubeObject

export interface CoreEvent extends KubeObject {
  type?: string
  reason?: string
  message?: string
  involvedObject: { kind?: string; namespace?: string; name?: string; uid?: string }
  firstTimestamp?: string
  lastTimestamp?: string
}

/** haproxytech's: an administrator's server templates. */
export interface ValidationRules extends KubeObject {
  spec?: { prefix?: string; validation_rules?: Record<string, unknown> }
}

/** What may be missing, or forbidden to who asks. */
export type Found<T> = { value: T } | { missing: 'absent' | 'forbidden' }

export interface Snapshot {
  /** ms, of this machine's clock */
  takenAt: number
  /** such as v1.36.3 */
  version: string
  services: readonly Service[]
  ingresses: readonly Ingress[]
  ingressClasses: readonly IngressClass[]
  slices: readonly EndpointSlice[]
  /** metadata alone */
  nodes: readonly KubeObject[]
  /** opted-in ones, proxies among them */
  pods: readonly Pod[]
  /** contents of the ingress controllers' own ConfigMaps, those that could be read */
  controllerSettings: readonly Readonly<Record<string, string>>[]
  /** contents of the ConfigMaps by which ingress controllers route TCP */
  tcpServices: readonly Readonly<Record<string, string>>[]
  /** the controller's own resources, as far as the dialect heeds them */
  tcpResources: readonly KubeObject[]
  backendResources: readonly KubeObject[]
  /** the annotator's, of the last hour */
  events: readonly CoreEvent[]
  /** where zonefirst is installed */
  systemNamespace: string
  annotator: Found<Deployment>
  /** absent: the definition is, so that no object can be */
  validationRules: Found<readonly ValidationRules[]>
}

const pageSize = 500

export interface SnapshotOptions {
  systemNamespace: string
  now: () => number
  /** Hears what is read next. */
  say?: (what: string) => void
}

export async function readSnapshot(
  kube: Kube,
  { systemNamespace, now, say = () => {} }: SnapshotOptions,
): Promise<Snapshot> {
  const { gitVersion: version } = await kube.request<{ gitVersion: string }>({
    method: 'GET',
    path: '/version',
  })
  say('reading Services, pods and Ingresses')
  const [services, ingresses, ingressClasses, slices, nodes, pods, events, annotator, validationRules] =
    await Promise.all([
      list<Service>(kube, '/api/v1/services'),
      list<Ingress>(kube, '/apis/networking.k8s.io/v1/ingresses'),
      list<IngressClass>(kube, '/apis/networking.k8s.io/v1/ingressclasses'),
      list<EndpointSlice>(kube, '/apis/discovery.k8s.io/v1/endpointslices'),
      list<KubeObject>(kube, '/api/v1/nodes', { accept: acceptMetadataList }),
      list<Pod>(kube, '/api/v1/pods', { query: { labelSelector: `${enabledLabel}=true` } }),
      orEmpty(
        list<CoreEvent>(kube, '/api/v1/events', { query: { fieldSelector: `source=${fieldManager}` } }),
      ),
      find<Deployment>(kube, `/apis/apps/v1/namespaces/${systemNamespace}/deployments/${annotatorName}`),
      orMissing(list<ValidationRules>(kube, '/apis/ingress.v3.haproxy.org/v3/validationrules')),
    ])
  const { customResources } = installationOf({ annotator }).dialect
  const [controllerSettings, tcpServices, tcpResources, backendResources] = await Promise.all([
    readConfigMaps(kube, pods, 'configMap'),
    readConfigMaps(kube, pods, 'tcpServices'),
    readCustomResources(kube, customResources.tcps),
    readCustomResources(kube, customResources.backends),
  ])
  return {
    takenAt: now(),
    version,
    services,
    ingresses,
    ingressClasses,
    slices,
    nodes,
    pods,
    controllerSettings,
    tcpServices,
    tcpResources,
    backendResources,
    events,
    systemNamespace,
    annotator,
    validationRules,
  }
}

/** Contents of those that the proxies' command lines name, and that can be read. */
async function readConfigMaps(
  kube: Kube,
  pods: readonly Pod[],
  which: 'configMap' | 'tcpServices',
): Promise<Record<string, string>[]> {
  const names = new Set(pods.map((pod) => keepPod(pod).proxy?.[which]).filter((name) => name !== undefined))
  const found = await Promise.all(
    [...names].map((each) => {
      const [namespace, name] = each.split('/')
      return find<V1ConfigMap>(kube, `/api/v1/namespaces/${namespace}/configmaps/${name}`)
    }),
  )
  return found.flatMap((each) => ('value' in each ? [each.value.data ?? {}] : []))
}

/** Clusters without their definitions have none. */
async function readCustomResources(kube: Kube, paths: readonly string[]): Promise<KubeObject[]> {
  return (await Promise.all(paths.map((path) => orEmpty(list<KubeObject>(kube, path))))).flat()
}

/** Its Deployment, its Lease and its field manager have one name. */
export const annotatorName = fieldManager

export async function list<T>(
  kube: Kube,
  path: string,
  { query, accept }: { query?: Record<string, string>; accept?: string } = {},
): Promise<T[]> {
  const all: T[] = []
  let token: string | undefined
  do {
    const page = await kube.request<{ metadata: { continue?: string }; items: T[] | null }>({
      method: 'GET',
      path,
      query: { ...query, limit: pageSize, continue: token },
      ...(accept !== undefined && { accept }),
    })
    for (const item of page.items ?? []) all.push(item)
    token = page.metadata.continue
  } while (token)
  return all
}

export async function find<T>(kube: Kube, path: string): Promise<Found<T>> {
  return orMissing(kube.request<T>({ method: 'GET', path }))
}

export async function orMissing<T>(reading: Promise<T>): Promise<Found<T>> {
  try {
    return { value: await reading }
  } catch (error) {
    if (isNotFound(error)) return { missing: 'absent' }
    if (error instanceof ApiError && error.status === 403) return { missing: 'forbidden' }
    throw error
  }
}

/** Of what only adds to what is shown: without a permission to read it, that is less. */
async function orEmpty<T>(reading: Promise<T[]>): Promise<T[]> {
  const found = await orMissing(reading)
  return 'value' in found ? found.value : []
}
