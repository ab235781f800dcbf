// Pure: what it says of a Service that the API server refuses what is written for it.
import { isFieldConflict, isNamespaceTerminating, isRejected } from '../../lib/kube.ts'
import type { Refusal } from './reasons.ts'

/** Undefined where it may succeed the next time, or nothing is wrong. `annotation` is the one that is written. */
export function refusalOfWrite(error: unknown, annotation: string): Refusal | undefined {
  if (isFieldConflict(error)) {
    const message = `somebody else has set the annotation ${annotation}: remove it, zonefirst never overwrites it`
    return { reason: 'AnnotationTaken', message }
  }
  if (isRejected(error) && !isNamespaceTerminating(error)) {
    const message = `the API server rejects what it needs: ${error.message}`
    return { reason: 'WriteRejected', message }
  }
  return undefined
}
