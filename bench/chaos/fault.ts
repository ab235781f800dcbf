// What a fault is.
import type { System } from './system.ts'

export type Theme =
  | 'zonefirst'
  | 'control plane'
  | 'DNS'
  | 'zones'
  | 'pods'
  | 'ingress controllers'
  | 'people'

export interface Fault {
  name: string
  /** What happens, for a table. */
  title: string
  about: Theme
  /** Resolves when the fault is there, or what makes it up has been done. */
  inject(system: System): Promise<void>
  /** How long it stays then, in s. */
  seconds?: number
  /** Takes it away; also called where `inject` failed halfway. What is not right by itself then is a fault of zonefirst. */
  heal?(system: System): Promise<void>
}
