// Calls to the Kubernetes API as plain functions. What address and credentials to use is access.ts's affair;
// what to read and write is the callers'.
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { V1ObjectMeta, V1Status } from '@kubernetes/client-node'
import type { Access } from './access.ts'

export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata: V1ObjectMeta
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string | number | boolean | undefined> | undefined
  body?: unknown
  contentType?: string
  accept?: string
  signal?: AbortSignal | undefined
}

export interface Kube {
  /**
   * Sends one request and parses the answer, within 30 s where no signal is given. Throws an ApiError for any status of
   * 400 and above.
   */
  request<T>(request: ApiRequest): Promise<T>
  /** The same without reading the body: for watches. */
  stream(request: ApiRequest): Promise<IncomingMessage>
  close(): void
}

/** The API server's refusal: `status` is the HTTP status, `reason` the Status object's. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly reason: string
  /** the reasons of the Status object's causes, such as FieldManagerConflict */
  readonly causes: readonly string[]
  constructor(request: ApiRequest, status: number, body: string) {
    const answer = parseStatus(body)
    // whoever refuses a Secret may quote it, and errors are logged
    const mayQuote = request.body !== undefined && /\/secrets(\/|$)/.test(request.path)
    const says = mayQuote ? (answer.reason ?? '') : (answer.message ?? body.slice(0, 200))
    super(`${request.method} ${request.path}: ${status} ${says}`)
    this.status = status
    this.reason = answer.reason ?? ''
    this.causes = (answer.details?.causes ?? []).map(({ reason }) => reason ?? '')
  }
}

export const isNotFound = (error: unknown): boolean => hasStatus(error, 404)
export const isConflict = (error: unknown): boolean => hasStatus(error, 409)
/** A server-side apply without force met a field that another manager has set to another value. */
export const isFieldConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.causes.includes('FieldManagerConflict')
/** It would be refused again: by validation, by a policy, or for want of a permission. */
export const isRejected = (error: unknown): error is ApiError =>
  [400, 403, 422].some((status) => hasStatus(error, status))
/** Nothing can be created there any more. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof ApiError && error.causes.includes('NamespaceTerminating')
export const isGone = (error: unknown): boolean => hasStatus(error, 410)

const metadataOnly = 'g=meta.k8s.io;v=v1'
/** Accept headers that make the API server answer with metadata alone. */
export const acceptMetadata = `application/json;as=PartialObjectMetadata;${metadataOnly}`
export const acceptMetadataList = `application/json;as=PartialObjectMetadataList;${metadataOnly}`

export const jsonPatch = 'application/json-patch+json'
export const mergePatch = 'application/merge-patch+json'
/** Server-side apply; JSON is YAML. */
export const applyPatch = 'application/apply-patch+yaml'

export function connect(access: Access): Kube {
  // a kubeconfig may name a plain proxy on this machine, such as kubectl's
  const { Agent, request: open } = access.server.startsWith('http:') ? http : https
  const agent = new Agent({ keepAlive: true, timeout: 0 })

  async function stream(request: ApiRequest): Promise<IncomingMessage> {
    const url = new URL(access.server + request.path)
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const given = await access.options()
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body))
    const headers = {
      ...given.headers,
      accept: request.accept ?? 'application/json',
      'user-agent': 'zonefirst',
      ...(body && {
        'content-type': request.contentType ?? 'application/json',
        'content-length': body.length,
      }),
    }
    return new Promise((resolve, reject) => {
      const options = { agent, ...given, method: request.method, signal: request.signal, headers }
      const outgoing = open(url, options, resolve)
      outgoing.on('error', reject)
      outgoing.on('socket', (socket) => socket.setKeepAlive(true, 30_000))
      outgoing.end(body)
    })
  }

  async function request<T>(request: ApiRequest): Promise<T> {
    const answer = await stream({ ...request, signal: request.signal ?? AbortSignal.timeout(30_000) })
    const text = await readAll(answer)
    const status = answer.statusCode ?? 0
    if (status >= 400) throw new ApiError(request, status, text)
    return JSON.parse(text) as T
  }

  return { request, stream, close: () => agent.destroy() }
}

export async function readAll(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8')
  let text = ''
  for await (const chunk of answer) text += chunk
  return text
}

/** Whole lines, as many at a time as have come. */
export async function* readLines(answer: IncomingMessage): AsyncGenerator<string[]> {
  answer.setEncoding('utf8')
  let rest = ''
  for await (const chunk of answer as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status
}

function parseStatus(body: string): V1Status {
  try {
    return JSON.parse(body) as V1Status
  } catch {
    return {}
  }
}
