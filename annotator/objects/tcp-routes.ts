// Pure: the Service ports that TCP resources route to: the controller's custom resource, and the ConfigMap of TCP services.
import type { KubeObject } from '../../lib/kube.ts'
import { keyOf } from './key.ts'
import type { Route } from './routes.ts'

/** One custom resource. */
export interface TCPResource {
  namespace: string
  name: string
  routes: readonly Route[]
}

interface Backend {
  name?: string
  port?: number
}

/** Both versions hold a list of entries, each with one Service or several, in the resource's own namespace. */
export function keepTCPResource(object: KubeObject): TCPResource {
  const { metadata, spec } = object as KubeObject & { spec?: unknown }
  const entries = (Array.isArray(spec) ? spec : []) as { service?: Backend; services?: Backend[] }[]
  const backends = entries.flatMap((entry) => [entry?.service, ...(entry?.services ?? [])])
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    routes: backends.flatMap((backend) => (backend?.name ? [route(backend.name, Number(backend.port))] : [])),
  }
}

export function keysOfTCPResource({ namespace, routes }: TCPResource): string[] {
  return [...new Set(routes.map(({ service }) => keyOf(namespace, service)))]
}

/** The ports of one Service, `namespace/name`, that custom resources which name it route to. */
export function routesOfTCPResources(resources: Iterable<TCPResource>, key: string): Route[] {
  return [...resources].flatMap(({ routes }) => routes.filter(({ service }) => service === nameIn(key)))
}

/** The ports of one Service, `namespace/name`, that ConfigMaps of TCP services name: `<namespace>/<service>:<port>`. */
export function routesOfTCPServices(
  contents: readonly Readonly<Record<string, string>>[],
  key: string,
): Route[] {
  return contents.flatMap(Object.values).flatMap((value: string) => {
    const [service, port] = value.split(':')
    return service?.trim() === key ? [route(nameIn(key), Number(port))] : []
  })
}

function nameIn(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}

function route(service: string, number: number): Route {
  return { service, port: { number }, standalone: undefined }
}
