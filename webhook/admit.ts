// One review from request to verdict: examine, look up, stamp. Whatever fails on the way is a reason, never a refusal.
import type { Operation } from 'fast-json-patch'
import { type Lookup, Shed } from './lookup.ts'
import type { Reason } from './reasons.ts'
import type { AdmissionRequest, JsonObject } from './review.ts'
import { examine, stamp } from './stamp.ts'

export interface Verdict {
  reason: Reason
  patch?: Operation[]
  error?: Error
}

/** `timeoutMs` bounds all that is asked of the API server for one review. */
export function buildAdmit({ lookup, timeoutMs }: { lookup: Lookup; timeoutMs: number }) {
  async function admit(request: AdmissionRequest): Promise<Verdict> {
    let signal: AbortSignal | undefined
    const deadline = () => {
      signal ??= AbortSignal.timeout(timeoutMs)
      return signal
    }
    try {
      const examined = examine(request)
      if ('reason' in examined) return examined
      const { pod, nodeName, zone } = examined.candidate
      const optIn = pod ? await lookup.pod(pod, deadline) : 'opted-in'
      if (optIn !== 'opted-in') return { reason: optIn }
      const found = zone === undefined ? await lookup.zone(nodeName, deadline) : { zone }
      if (typeof found === 'string') return { reason: found }
      return stamp(request.object as JsonObject, found.zone)
    } catch (error) {
      return { reason: reasonOf(error, signal), error: error as Error }
    }
  }
  return admit
}

/** Before the first question to the API server, only an error of our own can have been thrown. */
function reasonOf(error: unknown, signal: AbortSignal | undefined): Reason {
  if (error instanceof Shed) return 'shed'
  if (signal === undefined || error instanceof TypeError) return 'internal-error'
  return signal.aborted ? 'lookup-timeout' : 'lookup-failed'
}
