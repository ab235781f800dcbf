// The application of demo and end-to-end tests: one Deployment spread over the zones behind two Services, each with its
// own host, so that the same pods are reached with zonefirst (web) and without (plain) at the same moment.
import type { KubeObject } from '../../lib/kube.ts'

export const namespace = 'default'
export const port = 8080

/** The Services' names are also the first part of their hosts. */
export type ServiceName = 'web' | 'plain'

export const hostOf = (service: ServiceName) => `${service}.test`

export interface ApplicationOptions {
  replicas: number
  /** Whether the pod template carries the opt-in label. */
  optedIn: boolean
  /** Pods that close their connections at once when told to go, instead of finishing what they have begun. */
  dieAtOnce?: boolean
  /** Seconds for which a pod that is to go still takes requests: until every proxy has heard of it, by DNS too. */
  drainTime?: number
}

export function deployment({
  replicas,
  optedIn,
  dieAtOnce = false,
  drainTime,
}: ApplicationOptions): KubeObject {
  const labels = { app: 'web', ...(optedIn && { 'zonefirst.io/enabled': 'true' }) }
  const spread = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
    matchLabelKeys: ['pod-template-hash'],
  }
  const container = {
    name: 'app',
    image: 'example.test/app',
    command: ['node', 'test/cluster/app.ts'],
    env: [
      { name: 'PORT', value: String(port) },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ...(dieAtOnce ? [{ name: 'DIE_AT_ONCE', value: 'true' }] : []),
    ],
    ports: [{ name: 'http', containerPort: port }],
    readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1 },
    ...(drainTime !== undefined && { lifecycle: { preStop: { sleep: { seconds: drainTime } } } }),
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels },
        spec: {
          topologySpreadConstraints: [spread],
          containers: [container],
          terminationGracePeriodSeconds: 10,
        },
      },
    },
  } as KubeObject
}

export function service(name: ServiceName): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, ...(name === 'plain' && { labels: { 'zonefirst.io/enabled': 'false' } }) },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  } as KubeObject
}

export function ingress(name: ServiceName): KubeObject {
  const backend = { service: { name, port: { name: 'http' } } }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace },
    spec: {
      ingressClassName: 'haproxy',
      rules: [{ host: hostOf(name), http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    },
  } as KubeObject
}

export function application(options: ApplicationOptions): KubeObject[] {
  return [deployment(options), service('web'), service('plain'), ingress('web'), ingress('plain')]
}
