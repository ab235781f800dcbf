// Pure: what users told the ingress controller about a backend, wherever they did.
import type { Input } from './input.ts'

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

/** `prefixes` of the controller's annotations: the same name under any of them counts. */
export function userSettings(
  prefixes: readonly string[],
  { primary, ingresses, controllerSettings }: Pick<Input, 'primary' | 'ingresses' | 'controllerSettings'>,
): UserSettings {
  const annotations =
    (where: Said['where'], objects: readonly (typeof primary | Input['ingresses'][number])[]) =>
    (name: string): Said[] =>
      objects.flatMap(({ metadata }) =>
        prefixes.flatMap((prefix) => {
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
