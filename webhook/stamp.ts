// Pure: what a review is about, and the patch that stamps its Binding or Pod. Asking about pod and node lies between
// the two, and is left to lookup.ts.
import jsonpatch, { type Operation } from 'fast-json-patch'
import {
  enabledLabel,
  mirrorPodAnnotation,
  servesLabel,
  zoneAnnotation,
  zoneKeyAnnotation,
} from '../lib/names.ts'
import { zoneKey, zoneOf } from '../lib/zone.ts'
import type { Reason } from './reasons.ts'
import { type AdmissionRequest, asObject, asString, isObject, type JsonObject } from './review.ts'

export interface PodReference {
  namespace: string
  name: string
  /** Empty where a Binding names none: then whatever pod has the name is meant. */
  uid: string
}

/** An object that is to be stamped if what is still unknown turns out so. */
export interface Candidate {
  /** The pod whose opt-in label has to be looked up; undefined where the object itself shows that it opted in. */
  pod: PodReference | undefined
  nodeName: string
  /** The zone, where the API server has put it on the Binding; otherwise the Node has to be looked up. */
  zone: string | undefined
}

export type Examined = { reason: Reason } | { candidate: Candidate }
export type Stamped = { reason: 'stamped'; patch: Operation[] } | { reason: 'already-stamped' }

export function examine(request: AdmissionRequest): Examined {
  if (request.operation !== 'CREATE') return { reason: 'not-watched' }
  const { object, resource } = request
  if (!['pods', 'pods/binding', 'bindings'].includes(resource)) return { reason: 'not-watched' }
  if (!isObject(object) || !isObject(object.metadata)) return { reason: 'malformed-object' }
  return resource === 'pods' ? examinePod(object) : examineBinding(request, object)
}

function examineBinding(request: AdmissionRequest, binding: JsonObject): Examined {
  const metadata = asObject(binding.metadata)
  const target = asObject(binding.target)
  const nodeName = asString(target.name)
  if (nodeName === '') return { reason: 'no-target' }
  // an empty kind means a Node, as the API server takes it
  if (!['', 'Node'].includes(asString(target.kind))) return { reason: 'target-not-a-node' }
  const name = asString(metadata.name) || request.name
  if (name === '' || request.namespace === '') return { reason: 'malformed-object' }
  return {
    candidate: {
      pod: { namespace: request.namespace, name, uid: asString(metadata.uid) },
      nodeName,
      zone: zoneOf(stringsOf(metadata.labels)),
    },
  }
}

/** A Pod's own topology labels are no evidence: before Kubernetes 1.35 they may be anybody's. */
function examinePod(pod: JsonObject): Examined {
  const metadata = asObject(pod.metadata)
  const nodeName = asString(asObject(pod.spec).nodeName)
  if (nodeName === '') return { reason: 'not-bound' }
  if (Object.hasOwn(asObject(metadata.annotations), mirrorPodAnnotation)) return { reason: 'mirror-pod' }
  if (asObject(metadata.labels)[enabledLabel] !== 'true') return { reason: 'not-opted-in' }
  return { candidate: { pod: undefined, nodeName, zone: undefined } }
}

/**
 * Sets annotations and label to the node's truth, whatever they were, key by key: the maps may hold what others put
 * there. `object` is one that `examine` took for a candidate.
 */
export function stamp(object: JsonObject, zone: string): Stamped {
  const { annotations, labels } = asObject(object.metadata)
  const key = zoneKey(zone)
  const before = {
    metadata: { ...(annotations !== undefined && { annotations }), ...(labels !== undefined && { labels }) },
  }
  const after = {
    metadata: {
      annotations: { ...asObject(annotations), [zoneAnnotation]: zone, [zoneKeyAnnotation]: key },
      labels: { ...asObject(labels), [servesLabel]: key },
    },
  }
  const patch = jsonpatch.compare(before, after)
  return patch.length === 0 ? { reason: 'already-stamped' } : { reason: 'stamped', patch }
}

function stringsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(asObject(value)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}
