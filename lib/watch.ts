// One watch of a collection: what is asked, and when its connection counts as lost. What its events mean for a cache is
// informer.ts's.
import { ApiError, acceptMetadata, type Kube, type KubeObject, readAll, readLines } from './kube.ts'

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  object: KubeObject
}

export interface WatchOptions {
  kube: Kube
  path: string
  query?: { labelSelector?: string; fieldSelector?: string }
  metadataOnly?: boolean
  /** What it goes on from; without one it begins with all objects. */
  version: string | undefined
  /** ms. Bookmarks come about once a minute: a watch that is silent for longer than this has lost its connection. */
  silenceLimit: number
  signal: AbortSignal
}

/**
 * Events as many at a time as have come, until the API server ends it. An event that is an error throws an ApiError, as
 * does a refusal, but only after the events before it.
 */
export async function* watch(options: WatchOptions): AsyncGenerator<Iterable<WatchEvent>> {
  const { kube, path, query, metadataOnly, version, silenceLimit, signal } = options
  const silent = new AbortController()
  const timer = setTimeout(() => silent.abort(new Error(`watch of ${path} went silent`)), silenceLimit)
  const request = {
    method: 'GET' as const,
    path,
    query: {
      ...query,
      watch: true,
      allowWatchBookmarks: true,
      ...(version === undefined
        ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
        : { resourceVersion: version }),
      // spread, so that not all watches end at once
      timeoutSeconds: Math.round(300 * (1 + Math.random())),
    },
    ...(metadataOnly && { accept: acceptMetadata }),
    signal: AbortSignal.any([signal, silent.signal]),
  }
  try {
    const answer = await kube.stream(request)
    const status = answer.statusCode ?? 0
    if (status !== 200) throw new ApiError(request, status, await readAll(answer))
    for await (const lines of readLines(answer)) {
      timer.refresh()
      yield eventsIn(lines, path)
    }
  } catch (error) {
    throw silent.signal.aborted ? silent.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

function* eventsIn(lines: readonly string[], path: string): Generator<WatchEvent> {
  for (const line of lines) {
    const event = JSON.parse(line) as WatchEvent | { type: 'ERROR'; object?: { code?: number } }
    if (event.type === 'ERROR')
      throw new ApiError({ method: 'GET', path }, event.object?.code ?? 500, JSON.stringify(event.object))
    yield event
  }
}
