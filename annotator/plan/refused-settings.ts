// Pure: settings of the user's that routing by zone would break, or that would undo it, whether they stand on the
// Service, on an Ingress that routes to it, or in the controller's own ConfigMap.
import { allowHashBalancingAnnotation } from '../../lib/names.ts'
import type { Dialect } from './dialects/dialect.ts'
import { isOurSnippet } from './dialects/snippet.ts'
import type { Input } from './input.ts'
import { quoted } from './quoted.ts'
import type { Refusal } from './reasons.ts'
import { isHashBalancing, refusalOfLines } from './user-lines.ts'
import { type Read, userSettings } from './user-settings.ts'

export function refusalOfSettings(input: Input, { words }: Dialect): Refusal | undefined {
  const { read, readAll } = userSettings(words.prefixes, input)
  const allowsHash = input.primary.metadata.annotations?.[allowHashBalancingAnnotation] === 'true'
  const cookie = words.staticCookie(read)
  if (cookie !== undefined) {
    const message = `its cookie (set ${cookie.where}) holds fixed server names, which servers that are found by DNS have none of: use a dynamic cookie`
    return { reason: 'StaticCookie', message }
  }
  const algorithm = read(words.balance).find(({ value }) => isHashBalancing(value))
  if (algorithm !== undefined && !allowsHash) {
    const message = `it balances by a hash (${quoted(algorithm.value)}, set ${algorithm.where}), and the zone's own servers change what it maps to: set the annotation ${allowHashBalancingAnnotation} to "true" if that may be`
    return { reason: 'HashBalancing', message }
  }
  const other = words.refuse({ read, readAll })
  if (other !== undefined) return other
  const resource = backendResourceOf(input, words.backendResource, read)
  if (resource && !(resource.reason === 'HashBalancing' && allowsHash)) return resource
  for (const { value, where } of readAll(words.snippet)) {
    // a copy of ours elsewhere would give each server twice, which HAProxy refuses
    if (isOurSnippet(value) && where === 'on the Service') continue
    const refusal = refusalOfLines(value, where)
    if (refusal !== undefined && !(refusal.reason === 'HashBalancing' && allowsHash)) return refusal
  }
  return undefined
}

/** One that isn't there counts for nothing, as the controller has it. */
function backendResourceOf(
  { primary, backendResource }: Input,
  setting: string | undefined,
  read: Read,
): Refusal | undefined {
  const [named] = setting === undefined ? [] : read(setting)
  if (named === undefined) return undefined
  const [name = '', namespace = primary.metadata.namespace ?? ''] = named.value.split('/').reverse()
  return backendResource(namespace, name)?.refusal
}
