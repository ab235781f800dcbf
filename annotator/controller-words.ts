// Pure: what users told the ingress controller about a backend, in the controller's own words. Each controller has its own.
import type { Ingress, Service } from './objects.ts'

export interface ControllerWords {
  /** of its annotations; the same name under any of them counts */
  prefixes: readonly string[]
  /** annotation names, without prefix */
  snippet: string
  balance: string
  maxconn: string
  /** whether the backend's cookies hold fixed server names, which servers of a template have none of */
  hasStaticCookie: (read: (name: string) => readonly string[]) => boolean
  /** annotations that put options on each server line, where a template doesn't inherit them */
  serverOptions: readonly string[]
}

export const haproxytechWords: ControllerWords = {
  prefixes: ['haproxy.org/', 'ingress.kubernetes.io/', 'haproxy.com/'],
  snippet: 'backend-config-snippet',
  balance: 'load-balance',
  maxconn: 'pod-maxconn',
  hasStaticCookie: (read) => read('cookie-persistence-no-dynamic').some((value) => value !== ''),
  // all stand on default-server
  serverOptions: [],
}

export const haproxyIngressWords: ControllerWords = {
  prefixes: ['haproxy-ingress.github.io/', 'ingress.kubernetes.io/'],
  snippet: 'config-backend',
  balance: 'balance-algorithm',
  maxconn: 'maxconn-server',
  hasStaticCookie: (read) =>
    read('affinity').includes('cookie') && read('session-cookie-dynamic').includes('false'),
  serverOptions: ['secure-backends', 'backend-protocol', 'proxy-protocol', 'maxconn-server'],
}

/** Values that the Service and the Ingresses that route to it give one annotation, under all prefixes. */
export function reader(
  words: ControllerWords,
  objects: readonly (Service | Ingress)[],
): (name: string) => readonly string[] {
  return (name) =>
    objects.flatMap(({ metadata }) =>
      words.prefixes.flatMap((prefix) => {
        const value = metadata.annotations?.[prefix + name]
        return value === undefined ? [] : [value]
      }),
    )
}
