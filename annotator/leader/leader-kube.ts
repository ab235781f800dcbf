// The API as only the leader may use it: a request that would go out after the Lease is lost fails, and one that is under
// way then is aborted.
import type { Kube } from '../../lib/kube.ts'

export class NotLeading extends Error {
  override readonly name = 'NotLeading'
}

export function leaderKube(
  kube: Kube,
  election: { readonly isLeader: boolean; readonly signal: AbortSignal },
): Kube {
  const ask = <T>(call: (signal: AbortSignal) => Promise<T>, given?: AbortSignal): Promise<T> => {
    if (!election.isLeader) return Promise.reject(new NotLeading('not sent: it does not lead'))
    return call(AbortSignal.any([election.signal, given ?? AbortSignal.timeout(30_000)]))
  }
  return {
    request: (request) => ask((signal) => kube.request({ ...request, signal }), request.signal),
    stream: (request) => ask((signal) => kube.stream({ ...request, signal }), request.signal),
    close: () => kube.close(),
  }
}
