// What differs from one ingress controller to another: names that it gives and takes, and what of its settings doesn't go
// with ours.
import type { V1ServicePort } from '@kubernetes/client-node'
import type { Refusal } from '../reasons.ts'
import type { Read, Said, UserSettings } from '../user-settings.ts'

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
