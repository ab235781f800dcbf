// Writes a pod's volumes in the kubelet's layout, where one rename replaces all files of a volume.
import { mkdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files } from './pod-volumes.ts'

export interface VolumeWriter {
  /** Readers see the old files or the new ones, never some of both. The same files again change nothing. */
  write(folder: string, files: Files): Promise<void>
}

export function createVolumeWriter(): VolumeWriter {
  const written = new Map<string, string>()
  let generation = 0
  let last: Promise<void> = Promise.resolve()
  const write = async (folder: string, files: Files) => {
    const content = fingerprint(files)
    if (written.get(folder) === content) return
    await replaceFiles(folder, `..${++generation}`, files)
    written.set(folder, content)
  }
  return {
    // one after the other: a change may come while a container starts
    write(folder, files) {
      last = last.catch(() => {}).then(() => write(folder, files))
      return last
    },
  }
}

/** `name` -> `..data/name`, `..data` -> `..<generation>`. */
async function replaceFiles(folder: string, generation: string, files: Files): Promise<void> {
  const before = await readlink(join(folder, '..data')).catch(() => undefined)
  await mkdir(join(folder, generation), { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, generation, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  await symlink(generation, join(folder, '..data_tmp'))
  await rename(join(folder, '..data_tmp'), join(folder, '..data'))
  for (const name of new Set(Object.keys(files).map((path) => path.split('/')[0] as string))) {
    await symlink(join('..data', name), join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  if (before !== undefined) await rm(join(folder, before), { recursive: true, force: true })
}

function fingerprint(files: Files): string {
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(sorted.map(([path, content]) => [path, Buffer.from(content).toString('base64')]))
}
