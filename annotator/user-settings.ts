// Pure: settings of the user's that routing by zone would break, or that would undo it, whether they stand on the Service
// or on an Ingress that routes to it.
import { allowHashBalancingAnnotation } from '../lib/names.ts'
import { reader } from './controller-words.ts'
import type { Dialect } from './dialects/dialect.ts'
import { isOurSnippet } from './dialects/snippet.ts'
import type { Input } from './input.ts'
import type { Refusal } from './reasons.ts'
import { isHashBalancing, refusalOfLines } from './user-lines.ts'

export function refusalOfSettings(input: Input, { words }: Dialect): Refusal | undefined {
  const { primary, ingresses } = input
  const read = reader(words, [primary, ...ingresses])
  const allowsHash = primary.metadata.annotations?.[allowHashBalancingAnnotation] === 'true'
  if (words.hasStaticCookie(read)) {
    const message =
      'its cookie holds fixed server names, which servers that are found by DNS have none of: use a dynamic cookie'
    return { reason: 'StaticCookie', message }
  }
  const algorithm = read(words.balance).find(isHashBalancing)
  if (algorithm !== undefined && !allowsHash) {
    const message = `it balances by a hash (${algorithm}), and the zone's own servers change what it maps to: set the annotation ${allowHashBalancingAnnotation} to "true" if that may be`
    return { reason: 'HashBalancing', message }
  }
  const option = words.serverOptions.find((name) => read(name).length > 0)
  if (option !== undefined) {
    const message = `${option} puts options on each server line, and the zone's own servers would lack them`
    return { reason: 'ServerOptions', message }
  }
  for (const snippet of read(words.snippet).filter((text) => !isOurSnippet(text))) {
    const refusal = refusalOfLines(snippet)
    if (refusal !== undefined && !(refusal.reason === 'HashBalancing' && allowsHash)) return refusal
  }
  return undefined
}
