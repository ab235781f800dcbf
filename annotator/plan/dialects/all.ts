// Every dialect by the name that the setting gives it, and what of them stands on a Service.
import type { Service } from '../../objects/objects.ts'
import type { Dialect } from './dialect.ts'
import { haproxyIngressSnippet } from './haproxy-ingress-snippet.ts'
import { haproxytechCustomAnnotation } from './haproxytech-custom-annotation.ts'
import { haproxytechSnippet } from './haproxytech-snippet.ts'

export const dialects = {
  'haproxytech-custom-annotation': haproxytechCustomAnnotation,
  'haproxytech-snippet': haproxytechSnippet,
  'haproxy-ingress-snippet': haproxyIngressSnippet,
} as const satisfies Record<string, Dialect>

/** Annotations of ours on a Service, of whatever dialect, by their keys. */
export function writtenOn(service: Service, known: readonly Dialect[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { annotation, isOurs } of known) {
    const value = service.metadata.annotations?.[annotation]
    if (value !== undefined && isOurs(value)) found[annotation] = value
  }
  return found
}
