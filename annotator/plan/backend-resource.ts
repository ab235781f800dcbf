// Pure: what a Backend custom resource of haproxytech's controller says of a backend, where it doesn't go with ours. It takes
// the place of all annotations but snippets.
import type { KubeObject } from '../../lib/kube.ts'
import type { Refusal } from './reasons.ts'
import { isHashBalancing } from './user-lines.ts'

export interface BackendResource {
  /** undefined: it does no harm */
  refusal: Refusal | undefined
}

interface Spec {
  balance?: { algorithm?: string }
  cookie?: { dynamic?: boolean }
  hash_type?: object
  stick_table?: object
  stick_rule_list?: unknown[]
  server_switching_rule_list?: unknown[]
  retries?: number
}

export function keepBackendResource(object: KubeObject): BackendResource {
  const { metadata, spec } = object as KubeObject & { spec?: Spec & { config?: Spec } }
  // version 1 has most of it one level deeper
  const what = { ...spec, ...spec?.config }
  const name = `the Backend resource ${metadata.namespace}/${metadata.name}`
  return { refusal: refusalOf(what, name) }
}

function refusalOf(spec: Spec, name: string): Refusal | undefined {
  if (spec.cookie && spec.cookie.dynamic !== true) {
    return { reason: 'StaticCookie', message: `${name} sets a cookie that is not dynamic: make it dynamic` }
  }
  const algorithm = spec.balance?.algorithm ?? ''
  if (spec.hash_type || isHashBalancing(algorithm)) {
    const message = `${name} balances by a hash, and the zone's own servers change what it maps to: balance otherwise`
    return { reason: 'HashBalancing', message }
  }
  if (spec.stick_table || (spec.stick_rule_list ?? []).length > 0) {
    const message = `${name} keeps sessions in a stick table, which would hold them to a slot instead of a pod: take that out`
    return { reason: 'StickTable', message }
  }
  if (spec.retries === 0 || (spec.server_switching_rule_list ?? []).length > 0) {
    const message = `${name} names servers, or forbids retries, which would undo what zonefirst writes: take that out`
    return { reason: 'SnippetUndoes', message }
  }
  return undefined
}
