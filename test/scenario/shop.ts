// A namespace of one test's own with Services, Ingresses and pods in it, and what can be read of them from the API: what
// the annotator wrote, what Kubernetes made of it, and the Events. Its pods sleep: nothing is sent to them.
import { randomBytes } from 'node:crypto'
import type { V1EndpointSlice, V1ObjectMeta, V1Pod, V1PodSpec, V1ServiceSpec } from '@kubernetes/client-node'
import type { Test } from 'tap'
import type { Service } from '../../annotator/objects/objects.ts'
import type { KubeObject } from '../../lib/kube.ts'
import { endpointSliceServiceLabel, serversAnnotation, zonalServiceLabel } from '../../lib/names.ts'
import type { Cluster } from '../cluster/cluster.ts'

interface Event {
  type: string
  reason: string
  message: string
  involvedObject: { kind: string; name: string }
}

interface Servers {
  name: string
  slots: number
  ports: Record<string, number>
}

/** The named target port of `service` is 8080 on these pods. */
export function pod(name: string, node: string, metadata: V1ObjectMeta = {}, port = 8080): KubeObject {
  const labels = { app: 'web', 'zonefirst.io/enabled': 'true' }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, ...metadata },
    spec: { nodeName: node, ...podSpec(port) },
  } as KubeObject
}

export interface ProxyOptions {
  /** `namespace/name` of the controller's own ConfigMap */
  configMap?: string
  /** variables that its container has */
  variables?: readonly string[]
  spec?: Partial<V1PodSpec>
}

/** What looks like an ingress controller's pod to the API; no Service selects it. */
export function proxy(name: string, node: string, options: ProxyOptions = {}): KubeObject {
  const { configMap, variables = ['ZONE', 'ZONE_RESOLVERS'], spec } = options
  const flag = configMap === undefined ? '' : ` # --configmap=${configMap}`
  const labels = { app: 'proxy', 'zonefirst.io/enabled': 'true', 'zonefirst.io/role': 'proxy' }
  const container = {
    ...podSpec(8080).containers[0],
    command: ['sh', '-c', `exec sleep infinity${flag}`],
    env: variables.map((variable) => ({ name: variable, value: 'any' })),
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { nodeName: node, ...podSpec(8080), containers: [container], ...spec },
  } as KubeObject
}

/** Spread by the scheduler over the nodes of these zones. */
export function deployment(name: string, replicas: number, zones: readonly string[]): KubeObject {
  const expression = { key: 'topology.kubernetes.io/zone', operator: 'In', values: zones }
  const required = { nodeSelectorTerms: [{ matchExpressions: [expression] }] }
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } }
  const labels = { app: name, 'zonefirst.io/enabled': 'true' }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: { affinity, ...podSpec(8080) } },
    },
  } as KubeObject
}

function podSpec(containerPort: number): V1PodSpec {
  return {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'sleep',
        image: 'sleep',
        command: ['sleep', 'infinity'],
        ports: [{ name: 'http', containerPort }],
      },
    ],
  }
}

export function service(name: string, spec: V1ServiceSpec = {}, metadata: V1ObjectMeta = {}): KubeObject {
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }]
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, ...metadata },
    spec: { selector: { app: 'web' }, ports, ...spec },
  } as KubeObject
}

/** Routes to each of these ports of the Service, one host a port. */
export function ingress(name: string, ports: readonly string[] = ['http']): KubeObject {
  const rules = ports.map((port) => {
    const backend = { service: { name, port: { name: port } } }
    return { host: `${port}.${name}.test`, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }
  })
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name },
    spec: { ingressClassName: 'haproxy', rules },
  } as KubeObject
}

export type Shop = Awaited<ReturnType<typeof openShop>>

export async function openShop(cluster: Cluster, t: Test) {
  const { kube } = cluster
  const { metadata } = await kube.request<KubeObject>({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { generateName: 'shop-' } },
  })
  const namespace = metadata.name ?? ''
  t.teardown(() => cluster.kubectl('delete', 'namespace', namespace, '--wait=false', '--ignore-not-found'))
  const path = `/api/v1/namespaces/${namespace}`
  await cluster.until('the namespace has its service account', () =>
    kube.request({ method: 'GET', path: `${path}/serviceaccounts/default` }),
  )
  const list = async <T>(collection: string, query = {}) =>
    (await kube.request<{ items: T[] }>({ method: 'GET', path: collection, query })).items
  const kubectl = (...args: string[]) => cluster.kubectl('-n', namespace, ...args)
  const services = () => list<Service>(`${path}/services`)
  const get = (name: string) => kube.request<Service>({ method: 'GET', path: `${path}/services/${name}` })

  const shop = {
    namespace,
    kubectl,
    services,
    service: get,
    apply: (...items: KubeObject[]) => {
      const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      return cluster.kubectlWithInput(text, '-n', namespace, 'apply', '-f', '-')
    },
    pod: (name: string) => kube.request<V1Pod>({ method: 'GET', path: `${path}/pods/${name}` }),
    pods: (selector: string) => list<V1Pod>(`${path}/pods`, { labelSelector: selector }),

    /** Names of the zonal Services of a primary, sorted. */
    async zonal(primary: string): Promise<string[]> {
      const ownedBy = ({ metadata }: Service) =>
        metadata.ownerReferences?.some(({ name }) => name === primary)
      const marked = await list<Service>(`${path}/services`, { labelSelector: zonalServiceLabel })
      return marked
        .filter(ownedBy)
        .map(({ metadata }) => metadata.name ?? '')
        .sort()
    },

    /** What the custom annotation of a Service says. */
    async servers(name: string): Promise<Servers | undefined> {
      const value = (await get(name)).metadata.annotations?.[serversAnnotation]
      return value === undefined ? undefined : JSON.parse(value)
    },

    /** Waits until the annotation says what `isRight` asks for: by default, anything. */
    untilServers: (name: string, isRight: (servers: Servers) => boolean = () => true) =>
      cluster.until(`Service ${name} has its annotation`, async () => {
        const servers = await shop.servers(name)
        return servers !== undefined && isRight(servers) && servers
      }),

    /** Names of the ready pods in the EndpointSlices of a Service, sorted. */
    async endpoints(name: string): Promise<string[]> {
      const query = { labelSelector: `${endpointSliceServiceLabel}=${name}` }
      const collection = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
      return (await list<V1EndpointSlice>(collection, query))
        .flatMap(({ endpoints }) => endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready)
        .map(({ targetRef }) => targetRef?.name ?? '')
        .sort()
    },

    /** Events about an object of this name, as `type reason`, each once. */
    async events(name: string): Promise<string[]> {
      const found = await list<Event>(`${path}/events`, { fieldSelector: `involvedObject.name=${name}` })
      return [...new Set(found.map(({ type, reason }) => `${type} ${reason}`))]
    },

    untilEvent: (name: string, reason: string, timeoutMs = 30_000) =>
      cluster.until(
        `${name} has an Event ${reason}`,
        async () => {
          const fieldSelector = `involvedObject.name=${name},reason=${reason}`
          return (await list<Event>(`${path}/events`, { fieldSelector }))[0]
        },
        { timeoutMs },
      ),

    /**
     * Resolves when the annotator has looked at everything that changed before: it has routed a Service that came
     * later, as its queue takes the keys in order. That Service stays, as `caught-up-…`.
     */
    async untilCaughtUp(node: string): Promise<void> {
      const name = `caught-up-${randomBytes(4).toString('hex')}`
      const selector = { app: name }
      const labels = { ...selector, 'zonefirst.io/enabled': 'true' }
      await shop.apply(pod(name, node, { labels }), service(name, { selector }), ingress(name))
      await shop.untilServers(name)
    },

    /** resourceVersions of all Services whose names start so: what was written shows. */
    async versions(start: string): Promise<Record<string, string | undefined>> {
      const found = (await services()).filter(({ metadata }) => metadata.name?.startsWith(start))
      return Object.fromEntries(found.map(({ metadata }) => [metadata.name, metadata.resourceVersion]))
    },
  }
  return shop
}

/** With a routed Service "web", and a pod of it in each of the zones a and b. */
export async function openRoutedShop(cluster: Cluster, t: Test): Promise<Shop> {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), pod('web-b', 'node-b-1'), service('web'), ingress('web'))
  await shop.untilServers('web')
  return shop
}
