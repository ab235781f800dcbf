// What a load of requests is, and what came of it. load-main.ts sends it from inside a zone.

export interface Load {
  /** host:port that is connected to */
  target: string
  /** Host header */
  host: string
  path: string
  /** requests in all; without it, until standard input ends, which takes a rate */
  requests?: number
  /** requests a second, sent whether answers come or not; without it, each connection sends its next when it can */
  rate?: number
  connections: number
  /** ms after which a request counts as failed */
  timeout: number
}

export interface LoadResult {
  requests: number
  failed: number
  /** answers by the pod that gave them, as it says itself */
  byPod: Record<string, number>
  /** what went wrong, by status or error code */
  failures: Record<string, number>
  bodyBytes: number
  p50Ms: number
  p99Ms: number
}
