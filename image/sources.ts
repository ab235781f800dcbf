// What the image is made of, where its files are put together, and whether those that are there are of today's sources.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const programs = ['webhook', 'annotator', 'certs', 'cli']
/** What is in the image beside the programs: `zonefirst doctor` compares the cluster with it. */
export const data = ['manifests/ingress-controller/validation-rules.yaml']

/** The folder that becomes the image's working directory. */
export const imageFolder = join(root, 'build/image')
export const keyFile = join(imageFolder, 'key')

/** Changes with anything that goes into the bundle. */
export function keyOfSources(): string {
  const sources = globSync([`{lib,image,${programs.join()}}/**/*.ts`, 'package-lock.json', ...data], {
    cwd: root,
  })
  const hash = createHash('sha256')
  for (const file of sources.sort()) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

export function bundleIsOutdated(): boolean {
  return !existsSync(keyFile) || readFileSync(keyFile, 'utf8') !== keyOfSources()
}
