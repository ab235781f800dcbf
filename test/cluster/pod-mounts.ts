// Where a container's volumes go: below its own /run, or onto a path that the machine has.
import { existsSync } from 'node:fs'
import { join, normalize } from 'node:path'
import type { Mount } from './container.ts'

/** In the order in which they have to be made. */
export function placeMounts(runFolder: string, mounts: Mount[]): Mount[] {
  return mounts
    .map(({ from, to }) => ({ from, to: place(runFolder, normalize(to)) }))
    .sort((a, b) => a.to.length - b.to.length)
}

function place(runFolder: string, path: string): string {
  const [, rest] = /^(?:\/var)?\/run(\/.*)?$/.exec(path) ?? []
  if (rest !== undefined || /^(?:\/var)?\/run$/.test(path)) return join(runFolder, rest ?? '')
  // nothing is ever made in the machine's own folders
  if (!existsSync(path))
    throw new Error(`volume at ${path}: the machine has no such path, use one below /run`)
  return path
}
