// Looks for programs as a shell does.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where PATH, or the folders for administrators' programs, have it. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
