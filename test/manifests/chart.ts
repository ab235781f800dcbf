// What tests of the chart share: Helm as the tools bring it, and the objects of a rendering.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { helmTemplate } from '../../manifests/render.ts'
import { bin } from '../cluster/tools.ts'

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    annotations?: Record<string, string>
    labels?: Record<string, string>
  }
  // whatever a kind holds: tests that look into it compare it with what they expect
  // biome-ignore lint/suspicious/noExplicitAny: see above
  [field: string]: any
}

/** One of the programs that `make tools` builds. */
export function tool(name: 'helm' | 'kube-score'): string {
  const path = join(bin, name)
  if (!existsSync(path)) throw new Error(`${name} is not built: run \`make tools\``)
  return path
}

export function objectsIn(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS({ maxAliasCount: 1_000 }) as Manifest | null)
    .filter((manifest) => manifest !== null)
}

/** The objects for these values, as an object tree. */
export function objectsFor(values: object, ...args: string[]): Manifest[] {
  return objectsIn(renderFor(values, ...args))
}

export function renderFor(values: object, ...args: string[]): string {
  return helmTemplate({ helm: tool('helm'), values, args })
}

export function find(objects: readonly Manifest[], kind: string, name: string): Manifest {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
  if (!found) throw new Error(`there is no ${kind} ${name}`)
  return found
}
