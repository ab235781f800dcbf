// Pure: which Services select a pod, without asking each: every selector is filed under one of its pairs, and a pod is
// looked up by each of its labels.
import { Index } from './index.ts'
import type { Pod, Service } from './objects.ts'

export function selectorIndex(): Index<Service> {
  return new Index(
    ({ metadata, spec }) => {
      const [pair] = Object.entries(spec?.selector ?? {})
      return pair ? [group(metadata.namespace ?? '', ...pair)] : []
    },
    ({ metadata }) => metadata.name ?? '',
  )
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
