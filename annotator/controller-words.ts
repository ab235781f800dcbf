// Pure: what users told the ingress controller about a backend, in the controller's own words. Each controller has its own.
import type { V1ServicePort } from '@kubernetes/client-node'
import { refusalOfHAProxyIngress, staticCookieOfHAProxyIngress } from './haproxy-ingress-settings.ts'
import type { Input } from './input.ts'
import type { Refusal } from './reasons.ts'

export interface ControllerWords {
  /** of its annotations; the same name under any of them counts */
  prefixes: readonly string[]
  backendName: (backend: NamedBackend) => string
  /** annotation names, without prefix */
  snippet: string
  balance: string
  maxconn: string
  /** names a Backend resource; undefined where there is no such thing */
  backendResource: string | undefined
  /** whether each controller sets its part of that limit only */
  dividesMaxconn: boolean
  /** whether the backend's cookies hold fixed server names, which servers of a template have none of */
  staticCookie: (read: Read) => Said | undefined
  /** what else of this controller's doesn't go with ours */
  refuse: (settings: UserSettings) => Refusal | undefined
}

interface NamedBackend {
  namespace: string
  service: string
  port: V1ServicePort
  /** the Ingress, where it asks for a backend of its own */
  standalone: string | undefined
}

export const haproxytechWords: ControllerWords = {
  // none counts as well, and so does the one that a ValidationRules object brings, which is ours
  prefixes: ['haproxy.org/', 'ingress.kubernetes.io/', 'haproxy.com/', 'zonefirst.io/', ''],
  backendName: ({ namespace, service, port, standalone }) => {
    const owner = standalone === undefined ? namespace : `${namespace}_${standalone}`
    return `${owner}_svc_${service}_${port.name ?? port.port}`
  },
  snippet: 'backend-config-snippet',
  balance: 'load-balance',
  maxconn: 'pod-maxconn',
  backendResource: 'cr-backend',
  dividesMaxconn: true,
  staticCookie: (read) => read('cookie-persistence-no-dynamic').find(({ value }) => value.trim() !== ''),
  // options of servers stand on default-server, snippets beside each other
  refuse: () => undefined,
}

export const haproxyIngressWords: ControllerWords = {
  prefixes: ['haproxy-ingress.github.io/', 'ingress.kubernetes.io/'],
  backendName: ({ namespace, service, port }) => `${namespace}_${service}_${port.targetPort ?? port.port}`,
  snippet: 'config-backend-early',
  balance: 'balance-algorithm',
  maxconn: 'maxconn-server',
  backendResource: undefined,
  dividesMaxconn: false,
  staticCookie: staticCookieOfHAProxyIngress,
  refuse: refusalOfHAProxyIngress,
}

export interface Said {
  value: string
  where: 'on the Service' | 'on an Ingress' | 'in the controller’s ConfigMap'
}

export type Read = (name: string) => readonly Said[]

/** What users gave one setting, under all prefixes. */
export interface UserSettings {
  /** What holds: the Service's, or else the Ingresses', or else the controller's own. */
  read: Read
  /** All of it, for what adds up. */
  readAll: Read
}

export function userSettings(
  words: ControllerWords,
  { primary, ingresses, controllerSettings }: Pick<Input, 'primary' | 'ingresses' | 'controllerSettings'>,
): UserSettings {
  const annotations =
    (where: Said['where'], objects: readonly (typeof primary | Input['ingresses'][number])[]) =>
    (name: string): Said[] =>
      objects.flatMap(({ metadata }) =>
        words.prefixes.flatMap((prefix) => {
          const value = metadata.annotations?.[prefix + name]
          return value === undefined ? [] : [{ value, where }]
        }),
      )
  const levels = [
    annotations('on the Service', [primary]),
    annotations('on an Ingress', ingresses),
    (name: string): Said[] =>
      controllerSettings.flatMap((settings) => {
        const value = settings[name]
        return value === undefined ? [] : [{ value, where: 'in the controller’s ConfigMap' as const }]
      }),
  ]
  return {
    read: (name) => levels.map((level) => level(name)).find((said) => said.length > 0) ?? [],
    readAll: (name) => levels.flatMap((level) => level(name)),
  }
}
