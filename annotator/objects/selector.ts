// Pure: which Services select a pod, without asking each: every selector is filed under one of its pairs, and a pod is
// looked up by each of its labels. Zonal Services are no part of it.
import { zonalServiceLabel } from '../../lib/names.ts'
import { Index } from './object-index.ts'
import type { Pod, Service } from './objects.ts'

/**
 * Each is filed under that of its pairs which the fewest are filed under: all Services of one release may have a pair in
 * common. A Service that is replaced has to be the same object that was put in.
 */
export function selectorIndex(): Index<Service> {
  const filed = new WeakMap<Service, readonly string[]>()
  const index: Index<Service> = new Index(
    (service) => {
      const groups = filed.get(service) ?? rarest(groupsOf(service), (each) => index.get(each).size)
      filed.set(service, groups)
      return groups
    },
    ({ metadata }) => metadata.name ?? '',
  )
  return index
}

export function servicesSelecting(index: Index<Service>, { namespace, labels }: Pod): Service[] {
  return Object.entries(labels).flatMap(([label, value]) =>
    [...index.get(group(namespace, label, value)).values()].filter(({ spec }) =>
      Object.entries(spec?.selector ?? {}).every(([name, wanted]) => labels[name] === wanted),
    ),
  )
}

function group(namespace: string, label: string, value: string): string {
  return `${namespace} ${label}=${value}`
}

function groupsOf({ metadata, spec }: Service): string[] {
  if (metadata.labels?.[zonalServiceLabel] !== undefined) return []
  return Object.entries(spec?.selector ?? {}).map((pair) => group(metadata.namespace ?? '', ...pair))
}

/** One of them, or none where there is none. */
function rarest(groups: readonly string[], sizeOf: (group: string) => number): string[] {
  return groups.toSorted((a, b) => sizeOf(a) - sizeOf(b)).slice(0, 1)
}
