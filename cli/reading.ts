// What a command reads of the cluster, where an object may be missing, or who asks may not see it.
import { ApiError, isNotFound, type Kube } from '../lib/kube.ts'
import { type ListOptions, listPages } from '../lib/list-pages.ts'

/** What may be missing, or forbidden to who asks. */
export type Found<T> = { value: T } | { missing: 'absent' | 'forbidden' }

export async function list<T>(
  kube: Kube,
  path: string,
  options: Pick<ListOptions, 'query' | 'metadataOnly'> = {},
): Promise<T[]> {
  const all: T[] = []
  for await (const { items } of listPages({ kube, path, ...options })) {
    for (const item of items) all.push(item as T)
  }
  return all
}

export async function find<T>(kube: Kube, path: string): Promise<Found<T>> {
  return orMissing(kube.request<T>({ method: 'GET', path }))
}

export async function orMissing<T>(reading: Promise<T>): Promise<Found<T>> {
  try {
    return { value: await reading }
  } catch (error) {
    if (isNotFound(error)) return { missing: 'absent' }
    if (error instanceof ApiError && error.status === 403) return { missing: 'forbidden' }
    throw error
  }
}

/** Of what only adds to what is shown: without a permission to read it, that is less. */
export async function orEmpty<T>(reading: Promise<T[]>): Promise<T[]> {
  const found = await orMissing(reading)
  return 'value' in found ? found.value : []
}
