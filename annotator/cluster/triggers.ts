// Pure: the keys (`namespace/name` of primary Services) that a changed object concerns. What happened to it is not
// passed on: whoever takes a key looks at everything again.

import { zonalServiceLabel } from '../../lib/names.ts'
import { keyOf } from '../objects/key.ts'
import type { Index } from '../objects/object-index.ts'
import type { Endpoints, Ingress, Pod, Service } from '../objects/objects.ts'
import { routesOf } from '../objects/routes.ts'
import { servicesSelecting } from '../objects/selector.ts'
import { primaryOfName } from '../plan/zonal-name.ts'

/** The Service itself; for a zonal Service, and for one whose name could be taken for a zonal one, its primary. */
export function keysOfService({ metadata }: Service): string[] {
  const { namespace = '', name = '', labels, ownerReferences = [] } = metadata
  if (labels?.[zonalServiceLabel] !== undefined)
    return ownerReferences.map((owner) => keyOf(namespace, owner.name))
  const primary = primaryOfName(name)
  return [keyOf(namespace, name), ...(primary === undefined ? [] : [keyOf(namespace, primary)])]
}

export function keysOfIngress(ingress: Ingress): string[] {
  return routesOf(ingress).map(({ service }) => keyOf(ingress.metadata.namespace ?? '', service))
}

export function keysOfEndpoints({ namespace, service }: Endpoints): string[] {
  return service === '' ? [] : [keyOf(namespace, service)]
}

export function keysOfPod(pod: Pod, selectors: Index<Service>): string[] {
  return servicesSelecting(selectors, pod).map(({ metadata }) => keyOf(pod.namespace, metadata.name ?? ''))
}
