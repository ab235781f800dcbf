// The objects from which the recorded backends came, and the stand-in's rendering of them. The figures in them are
// those of the records.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bin } from '../cluster/tools.ts'

/** Address and zone of each ready pod, in the order in which the records have them. */
export const recordedPods: Pod[] = [
  { address: '10.88.1.13', zone: 'zone-a' },
  { address: '10.88.3.12', zone: 'zone-c' },
  { address: '10.88.2.13', zone: 'zone-b' },
  { address: '10.88.2.12', zone: 'zone-b' },
  { address: '10.88.3.13', zone: 'zone-c' },
  { address: '10.88.1.12', zone: 'zone-a' },
]

export interface Pod {
  address: string
  zone: string
  ready?: boolean
}

export function service(annotations: Record<string, string> = {}, ports: object[] = [httpPort]) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', annotations },
    spec: { selector: { app: 'web' }, ports },
  }
}

export const httpPort = { name: 'http', port: 80, targetPort: 'http' }

export function ingress(annotations: Record<string, string> = {}, ports: object[] = [{ name: 'http' }]) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace: 'default', annotations },
    spec: {
      ingressClassName: 'haproxy',
      rules: ports.map((port, index) => ({
        host: `web${index || ''}.example`,
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port } } }] },
      })),
    },
  }
}

export const ingressClass = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'haproxy' },
  spec: { controller: 'haproxy.org/ingress-controller/haproxy' },
}

export function endpointSlice(pods: Pod[], ports: object[] = [{ name: 'http', port: 8080 }], name = 'web-1') {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: pods.map(({ address, zone, ready = true }) => ({
      addresses: [address],
      conditions: { ready },
      zone,
    })),
    ports,
  }
}

export interface Rule {
  section?: string
  type: string
  rule: string
  template: string
  order_priority?: number
}

export function validationRules(rules: Record<string, Rule>) {
  return {
    apiVersion: 'ingress.v3.haproxy.org/v3',
    kind: 'ValidationRules',
    metadata: { name: 'zonefirst', namespace: 'haproxy-controller' },
    spec: { prefix: 'zonefirst.io', validation_rules: rules },
  }
}

/** The backends by name, as the stand-in would write them. Its log is left out. */
export function render(
  objects: object[],
  flags: string[] = [],
  env: Record<string, string> = {},
): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'zonefirst-render-'))
  try {
    objects.forEach((object, index) => {
      writeFileSync(join(folder, `${index}.json`), JSON.stringify(object))
    })
    const program = join(bin, 'ingress-controller-standin')
    const args = ['render', `--objects=${folder}`, '--ingress.class=haproxy', ...flags]
    const output = execFileSync(program, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] })
    const texts = output.split(/\n(?=backend )/).filter((text) => text !== '')
    return new Map(texts.map((text) => [text.split(' ')[1] ?? '', text]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
