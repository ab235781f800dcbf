// The indexes that find what belongs to one Service, each over one kind of object.
import { Index } from '../objects/object-index.ts'
import type { Endpoints, Ingress, Service } from '../objects/objects.ts'
import { keysOfTCPResource, type TCPResource } from '../objects/tcp-routes.ts'
import { keysOfEndpoints, keysOfIngress } from './triggers.ts'

/** By namespace. */
export function serviceIndex(): Index<Service> {
  return new Index(
    ({ metadata }) => [metadata.namespace ?? ''],
    ({ metadata }) => metadata.name ?? '',
  )
}

/** By the key of the Service whose they are. */
export function endpointsIndex(): Index<Endpoints> {
  return new Index(keysOfEndpoints, ({ name }) => name)
}

/** By the keys of the Services that they route to. */
export function ingressIndex(): Index<Ingress> {
  return new Index(keysOfIngress, ({ metadata }) => metadata.name ?? '')
}

/** By the keys of the Services that they route to. */
export function tcpResourceIndex(): Index<TCPResource> {
  return new Index(keysOfTCPResource, ({ name }) => name)
}
