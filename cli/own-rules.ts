// The ValidationRules object as this version of zonefirst ships it. In this folder itself, since the image has the programs
// bundled, one level below its root, and the object beside them.
import { readFile } from 'node:fs/promises'
import type { ValidationRules } from './snapshot.ts'

export async function readOwnRules(): Promise<ValidationRules> {
  const { loadYaml } = await import('@kubernetes/client-node')
  const file = new URL('../manifests/ingress-controller/validation-rules.yaml', import.meta.url)
  return loadYaml<ValidationRules>(await readFile(file, 'utf8'))
}
