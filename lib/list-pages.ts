// A list in pages, so that no answer of the API server is too large.
import { acceptMetadataList, type Kube, type KubeObject } from './kube.ts'

export interface ListOptions {
  kube: Kube
  path: string
  query?: { labelSelector?: string; fieldSelector?: string }
  metadataOnly?: boolean
  /** Ends it; each page has its own time in any case. */
  signal?: AbortSignal
}

interface Page {
  items: readonly KubeObject[]
  /** of the whole list */
  version: string
}

const pageSize = 500
const pageTimeout = 60_000

export async function* listPages(options: ListOptions): AsyncGenerator<Page> {
  const { kube, path, query, metadataOnly, signal } = options
  let token: string | undefined
  do {
    const { metadata, items } = await kube.request<{
      metadata: { continue?: string; resourceVersion: string }
      items: KubeObject[] | null
    }>({
      method: 'GET',
      path,
      query: { ...query, limit: pageSize, continue: token },
      ...(metadataOnly && { accept: acceptMetadataList }),
      signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(pageTimeout)]),
    })
    // an empty list of metadata has null
    yield { items: items ?? [], version: metadata.resourceVersion }
    token = metadata.continue
  } while (token)
}
