// Pure: the objects of a large cluster. Every Service has ten pods and an Ingress. The Services of a namespace are of one
// release, so that one label has the same value on all of them; a quarter has its pods spread unevenly over the zones.
import { enabledLabel, roleLabel, servesLabel, zoneAnnotation, zoneKeyAnnotation } from '../../lib/names.ts'

export const zones = ['a', 'b', 'c', 'd', 'e']
export const nodesPerZone = 10
export const podsPerService = 10
export const proxies = 20
export const servicesPerNamespace = 100
export const proxyNamespace = 'haproxy-controller'

export interface PodSketch {
  namespace: string
  name: string
  node: string
  address: string
  body: object
}

/** Of the Service with this number, from 0 on. */
export function namesOf(service: number): { namespace: string; name: string } {
  return { namespace: `shop-${Math.floor(service / servicesPerNamespace)}`, name: `web-${service}` }
}

export function namespacesOf(services: number): string[] {
  return [...new Set(Array.from({ length: services }, (_, service) => namesOf(service).namespace))]
}

export function nodeName(zone: string, number: number): string {
  return `node-${zone}-${(number % nodesPerZone) + 1}`
}

/** Whether as many pods of the Service are in each zone as in every other. */
export function isEven(service: number): boolean {
  return service % 4 !== 3
}

export function serviceObjects(service: number): { service: object; ingress: object } {
  const { namespace, name } = namesOf(service)
  const backend = { service: { name, port: { name: 'http' } } }
  const paths = [{ path: '/', pathType: 'Prefix', backend }]
  return {
    service: {
      metadata: { namespace, name },
      spec: { selector: labelsOf(service), ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    },
    ingress: {
      metadata: { namespace, name },
      spec: { ingressClassName: 'haproxy', rules: [{ host: `${name}.test`, http: { paths } }] },
    },
  }
}

/** Stamped, as the webhook leaves them. The next generation takes the place of one before it in a rolling restart. */
export function podsOf(service: number, generation = 0): PodSketch[] {
  const { namespace, name } = namesOf(service)
  return Array.from({ length: podsPerService }, (_, index) => {
    const zone = zones[isEven(service) ? index % zones.length : unevenZone(index)] ?? ''
    const node = nodeName(zone, service + index)
    const number = generation * 100_000 + service * podsPerService + index
    return podSketch(`${name}-${generation}-${index}`, {
      namespace,
      zone,
      node,
      number,
      labels: labelsOf(service),
    })
  })
}

export function proxyPods(): PodSketch[] {
  return Array.from({ length: proxies }, (_, index) => {
    const zone = zones[index % zones.length] ?? ''
    const labels = { [roleLabel]: 'proxy', app: 'haproxy' }
    const node = nodeName(zone, index)
    const number = 9_000_000 + index
    return podSketch(`proxy-${index}`, { namespace: proxyNamespace, zone, node, number, labels })
  })
}

/** What a kubelet reports of a pod. */
export function podStatus(address: string, isReady: boolean): object {
  const status = isReady ? 'True' : 'False'
  return {
    phase: 'Running',
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({ type, status })),
  }
}

interface PodOptions {
  namespace: string
  zone: string
  node: string
  /** makes its address */
  number: number
  labels: Record<string, string>
}

function podSketch(name: string, { namespace, zone, node, number, labels }: PodOptions): PodSketch {
  const address = `10.${100 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
  const body = {
    metadata: {
      namespace,
      name,
      labels: { ...labels, [enabledLabel]: 'true', [servesLabel]: zone },
      annotations: { [zoneAnnotation]: zone, [zoneKeyAnnotation]: zone },
    },
    spec: {
      nodeName: node,
      automountServiceAccountToken: false,
      containers: [{ name: 'web', image: 'web', ports: [{ name: 'http', containerPort: 8080 }] }],
    },
  }
  return { namespace, name, node, address, body }
}

function labelsOf(service: number): Record<string, string> {
  const { namespace, name } = namesOf(service)
  return { 'app.kubernetes.io/instance': namespace, 'app.kubernetes.io/name': name }
}

/** 4, 3, 1, 1, 1 */
function unevenZone(index: number): number {
  return [0, 0, 0, 0, 1, 1, 1, 2, 3, 4][index % 10] ?? 0
}
