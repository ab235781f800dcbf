// Backends as the controller writes them for Services that the annotator has annotated: its dialects' own texts,
// rendered by the stand-in with the ValidationRules object that is installed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Dialect } from '../../annotator/plan/dialects/dialect.ts'
import { haproxytechCustomAnnotation } from '../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { haproxytechSnippet } from '../../annotator/plan/dialects/haproxytech-snippet.ts'
import type { AddressFamily } from '../../annotator/plan/server-lines.ts'
import { root } from '../cluster/tools.ts'
import { ingressClass, render } from '../ingress-controller/objects.ts'

export const dialects = { annotation: haproxytechCustomAnnotation, snippet: haproxytechSnippet } as const

export interface Sketch {
  namespace?: string
  name: string
  prefix?: string
  slots?: number
  /** the pods' */
  port?: number
  family?: AddressFamily
  dialect?: Dialect | undefined
  /** the user's, on the Service */
  annotations?: Readonly<Record<string, string>>
  /** addresses of all ready pods, which the controller puts into its own slots */
  endpoints: readonly string[]
}

export const rules = parse(
  readFileSync(join(root, 'manifests/ingress-controller/validation-rules.yaml'), 'utf8'),
) as object

export const backendName = ({ namespace = 'default', name }: Pick<Sketch, 'namespace' | 'name'>) =>
  `${namespace}_svc_${name}_http`

/** The name that HAProxy asks the DNS for where ZONE is `zoneKey`. */
export function zonalHost({ namespace = 'default', name, prefix = `${name}-in` }: Sketch, zoneKey: string) {
  return `${prefix}-${zoneKey}.${namespace}.svc.cluster.local`
}

/** The backends' texts, by name. Without a dialect, a Service is as without zonefirst. */
export function renderBackends(sketches: readonly Sketch[]): Map<string, string> {
  return render([ingressClass, rules, ...sketches.flatMap(objects)])
}

function objects(sketch: Sketch): object[] {
  const { namespace = 'default', name, prefix = `${name}-in`, slots = 8, port = 8080, endpoints } = sketch
  const { family = 'ipv4', dialect, annotations: own = {} } = sketch
  const ports = { [backendName(sketch)]: port }
  const value = dialect?.write({ namespace, prefix, slots, family, ports })
  const annotations = dialect === undefined ? own : { ...own, [dialect.annotation]: value }
  const backend = { service: { name, port: { name: 'http' } } }
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, annotations },
      spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: port }] },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name, namespace },
      spec: {
        ingressClassName: 'haproxy',
        rules: [
          { host: `${name}.${namespace}`, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } },
        ],
      },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-1`, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: endpoints.map((address) => ({ addresses: [address], conditions: { ready: true } })),
      ports: [{ name: 'http', port }],
    },
  ]
}
