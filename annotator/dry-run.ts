// The API for an annotator that only shows what it would write: what it reads is real, and no write is sent.
import type { ApiRequest, Kube } from '../lib/kube.ts'

/** `tell` hears of each write once, until another one goes to the same object: what isn't written is asked for again. */
export function dryRunKube(
  kube: Kube,
  tell: (write: Pick<ApiRequest, 'method' | 'path' | 'body'>) => void,
): Kube {
  const told = new Map<string, string>()
  return {
    ...kube,
    async request<T>(request: ApiRequest): Promise<T> {
      const { method, path, body } = request
      if (method === 'GET') return kube.request<T>(request)
      // Events tell of writes: the log has them anyway
      if (/\/events(\/|$)/.test(path)) return {} as T
      const text = JSON.stringify([method, body])
      if (told.get(path) !== text) {
        told.set(path, text)
        tell({ method, path, body })
      }
      return (body ?? {}) as T
    },
  }
}
