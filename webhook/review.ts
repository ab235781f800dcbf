// Pure: AdmissionReview (admission.k8s.io/v1) in and out. What the answer should be is decided elsewhere.
import type { Operation } from 'fast-json-patch'

/** The parts of an AdmissionRequest that are used. Of `object` nothing is checked yet. */
export interface AdmissionRequest {
  uid: string
  /** Such as `pods`, `pods/binding`; with its group in front where that is not the core group. */
  resource: string
  operation: string
  namespace: string
  name: string
  object: unknown
}

/** The request's fault, as a sentence for whoever sent it. */
export class BadReview extends Error {
  override readonly name = 'BadReview'
  readonly statusCode = 400
}

export type JsonObject = Readonly<Record<string, unknown>>

/** The value as an object; an empty one where it is none. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value as a string; an empty one where it is none. */
export function asString(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Throws a BadReview. */
export function parseReview(text: string): AdmissionRequest {
  const review = asObject(parseJson(text))
  if (review.kind !== 'AdmissionReview' || review.apiVersion !== 'admission.k8s.io/v1') {
    throw new BadReview(
      'The body is not an AdmissionReview of admission.k8s.io/v1: only the API server should post here.',
    )
  }
  const request = asObject(review.request)
  const uid = asString(request.uid)
  if (uid === '')
    throw new BadReview('The AdmissionReview has no request.uid, without which it cannot be answered.')
  return {
    uid,
    resource: resourceOf(request),
    operation: asString(request.operation),
    namespace: asString(request.namespace),
    name: asString(request.name),
    object: request.object,
  }
}

/** Always allowed: a review is never a reason to keep a pod from its node. */
export function answerReview(uid: string, patch?: readonly Operation[]) {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: true,
      ...(patch && {
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
      }),
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadReview('The body is not JSON: post an AdmissionReview of admission.k8s.io/v1.')
  }
}

function resourceOf(request: JsonObject): string {
  const { group, resource } = asObject(request.resource)
  return [group, resource, request.subResource]
    .map(asString)
    .filter((part) => part !== '')
    .join('/')
}
