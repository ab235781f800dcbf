// One reading of the cluster, of all that decides how Services are treated: what the annotator's informers see, and where
// its own records are. Plain data: what it means is other files' affair.
import type { V1ConfigMap, V1EndpointSlice, V1Pod } from '@kubernetes/client-node'
import { type Ingress, type IngressClass, keepPod, type Service } from '../annotator/objects/objects.ts'
import type { Kube, KubeObject } from '../lib/kube.ts'
import { enabledLabel, fieldManager } from '../lib/names.ts'
import { annotatorName, type Deployment, installationOf } from './installation.ts'
import { type Found, find, list, orEmpty, orMissing } from './reading.ts'

export type Pod = V1Pod & KubeObject
export type EndpointSlice = V1EndpointSlice & KubeObject

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

export interface SnapshotOptions {
  /** the API server’s, such as v1.36.3 */
  version: string
  systemNamespace: string
  now: () => number
  /** Hears what is read next. */
  say?: (what: string) => void
}

export async function readSnapshot(
  kube: Kube,
  { version, systemNamespace, now, say = () => {} }: SnapshotOptions,
): Promise<Snapshot> {
  say('reading Services, pods and Ingresses')
  const [services, ingresses, ingressClasses, slices, nodes, pods, events, annotator, validationRules] =
    await Promise.all([
      list<Service>(kube, '/api/v1/services'),
      list<Ingress>(kube, '/apis/networking.k8s.io/v1/ingresses'),
      list<IngressClass>(kube, '/apis/networking.k8s.io/v1/ingressclasses'),
      list<EndpointSlice>(kube, '/apis/discovery.k8s.io/v1/endpointslices'),
      list<KubeObject>(kube, '/api/v1/nodes', { metadataOnly: true }),
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
