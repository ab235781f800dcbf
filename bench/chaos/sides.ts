// The two sides that are struck by each fault at once: one with zonefirst and one with the ingress controller alone, each
// with its own namespaces, IngressClass, ingress controllers and application, of the same sizes on the same Nodes.
import type { KubeObject } from '../../lib/kube.ts'
import { application } from '../../test/scenario/application.ts'
import { type ProxyOptions, proxies, proxyNamespace } from '../../test/scenario/proxies.ts'

export type SideName = 'zonefirst' | 'alone'

export interface Side {
  name: SideName
  /** of the application */
  namespace: string
  proxyNamespace: string
  /** also the controller's name for itself */
  ingressClass: string
}

export const [withZonefirst, alone] = [
  { name: 'zonefirst', namespace: 'shop', proxyNamespace, ingressClass: 'haproxy' },
  { name: 'alone', namespace: 'shop-alone', proxyNamespace: 'haproxy-alone', ingressClass: 'haproxy-alone' },
] as const satisfies Side[]
export const sides: readonly Side[] = [withZonefirst, alone]

export const hostOf = ({ name }: Side) => `${name}.test`
export const replicas = 6
/** Until every proxy has heard of a pod's end, by DNS too. */
const drainTime = 7

/** What is changed here has no types worth their length. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Loose = KubeObject & Record<string, any>

/** The name of the second Deployment, that blue-green switches go to. */
export const colours = ['blue', 'green'] as const

export function applicationOf(
  side: Side,
  options: { replicas?: number; colour?: string } = {},
): KubeObject[] {
  const { colour = 'blue' } = options
  const objects = application({
    replicas: options.replicas ?? replicas,
    optedIn: side === withZonefirst,
    drainTime,
  }) as Loose[]
  const wanted = objects.filter(({ metadata }) => metadata.name === 'web')
  return [
    namespaceOf(side.namespace),
    ...wanted.map((object) => {
      const metadata = { ...object.metadata, namespace: side.namespace }
      if (object.kind === 'Ingress') return { ...object, metadata, spec: ingressSpec(object, side) }
      if (object.kind === 'Service') {
        return { ...object, metadata, spec: { ...object.spec, selector: { app: 'web', colour } } }
      }
      return deploymentOf({ ...object, metadata }, colour)
    }),
  ] as KubeObject[]
}

/** Two Nodes a zone: its pods are to be on both. */
function deploymentOf(object: Loose, colour: string): Loose {
  const { template, ...spec } = object.spec
  const labels = { ...template.metadata.labels, colour }
  const spread = template.spec.topologySpreadConstraints.map((each: object) => ({
    ...each,
    labelSelector: { matchLabels: { app: 'web', colour } },
  }))
  const byNode = { ...spread[0], topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }
  return {
    ...object,
    metadata: { ...object.metadata, name: `web-${colour}` },
    spec: {
      ...spec,
      selector: { matchLabels: { app: 'web', colour } },
      template: {
        ...template,
        metadata: { ...template.metadata, labels },
        spec: { ...template.spec, topologySpreadConstraints: [...spread, byNode] },
      },
    },
  }
}

function ingressSpec({ spec }: Loose, side: Side): object {
  const rules = spec.rules.map((rule: object) => ({ ...rule, host: hostOf(side) }))
  return { ...spec, ingressClassName: side.ingressClass, rules }
}

/** One ingress controller a zone, on the zone's first Node; as a Deployment, so that it can move. */
export function proxiesOf(side: Side, nodes: readonly string[], options: ProxyOptions): KubeObject[] {
  const isAlone = side === alone
  const objects = proxies({
    ...options,
    ...(isAlone && { without: ['ZONE', 'ZONE_RESOLVERS'], flags: [`--ingress.class=${side.ingressClass}`] }),
  }) as Loose[]
  return objects.map((object) => {
    if (object.kind === 'Namespace') return namespaceOf(side.proxyNamespace)
    if (object.kind === 'IngressClass') {
      const controller = `haproxy.org/ingress-controller/${side.ingressClass}`
      return { ...object, metadata: { name: side.ingressClass }, spec: { controller } }
    }
    const moved = { ...object, metadata: { ...object.metadata, namespace: side.proxyNamespace } }
    if (object.kind === 'ConfigMap' && isAlone) return { ...moved, data: { 'haproxy-aux.cfg': '\n' } }
    return object.kind === 'DaemonSet' ? asDeployment(moved, side, nodes) : moved
  }) as KubeObject[]
}

function asDeployment(object: Loose, side: Side, nodes: readonly string[]): Loose {
  const { template, ...spec } = object.spec
  const labels = side === alone ? { app: template.metadata.labels.app } : template.metadata.labels
  const spread = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: labels.app } },
  }
  const onNodes = { key: 'kubernetes.io/hostname', operator: 'In', values: nodes }
  const required = { nodeSelectorTerms: [{ matchExpressions: [onNodes] }] }
  return {
    ...object,
    kind: 'Deployment',
    spec: {
      ...spec,
      replicas: nodes.length,
      template: {
        ...template,
        metadata: { ...template.metadata, labels },
        spec: {
          ...template.spec,
          topologySpreadConstraints: [spread],
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
        },
      },
    },
  }
}

function namespaceOf(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
}
