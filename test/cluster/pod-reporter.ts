// Tells the API what became of a pod: one report at a time, only the newest, again until it arrives.
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Pod } from '@kubernetes/client-node'
import { isConflict, isNotFound, type Kube } from '../../lib/kube.ts'
import type { PodStatusSketch } from './pod-status.ts'

const strategicMergePatch = 'application/strategic-merge-patch+json'

export interface Reporter {
  /** `make` gets the last report. */
  report(make: (before: PodStatusSketch | undefined) => PodStatusSketch): void
}

export function createReporter(pod: V1Pod, kube: Kube): Reporter {
  const { namespace, name, uid } = pod.metadata ?? {}
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`
  let next: PodStatusSketch | undefined
  let last: PodStatusSketch | undefined
  let sending = false

  const send = async () => {
    sending = true
    while (next) {
      await persist(() => {
        const body = { metadata: { uid }, status: next }
        last = next
        next = undefined
        return kube.request({ method: 'PATCH', path, body, contentType: strategicMergePatch })
      })
    }
    sending = false
  }

  return {
    report(make) {
      next = make(next ?? last)
      if (!sending) void send()
    },
  }
}

/** Tries again while the API server can't be reached or fails; a pod that is gone or another's is done with. */
export async function persist(request: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await request()
      return
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return
      await pause(500, undefined, { ref: false })
    }
  }
}
