// What a dialect is: how one decision becomes one annotation on the primary Service that a certain controller reads.

import type { Refusal } from '../reasons.ts'
import type { AddressFamily } from '../server-lines.ts'
import type { ControllerWords } from './controller-words.ts'

/** What every HAProxy backend of one primary Service is to contain. */
export interface Servers {
  namespace: string
  prefix: string
  slots: number
  family: AddressFamily
  /** the controller's backend names to the pods' port numbers; at least one */
  ports: Readonly<Record<string, number>>
}

/** Collections, such as `/apis/ingress.v3.haproxy.org/v3/tcps`: one for each version. */
export interface CustomResourcePaths {
  tcps: readonly string[]
  backends: readonly string[]
}

export interface Dialect {
  annotation: string
  /** `spec.controller` of the IngressClasses of the controller that reads it */
  controller: string
  words: ControllerWords
  /** whether the annotation also reaches the backends of TCP resources */
  reachesTCP: boolean
  /** the controller's own resources that matter, so far as it has them */
  customResources: CustomResourcePaths
  /** Why this dialect can't say it, where it can't. `today` is the annotation's value on the primary. */
  refuse(servers: Servers, today: string | undefined): Refusal | undefined
  /** The same servers give the same text, byte for byte. */
  write(servers: Servers): string
  /** Whether a value under this annotation was written by us. */
  isOurs(value: string): boolean
  /** What a value of ours says; undefined where it can't be read. */
  read(value: string | undefined): { prefix: string; slots: number } | undefined
}
