// Prometheus's own checker: the one that PROMTOOL names, else the machine's, else out of the distribution's package.
// Without one, what needs it is skipped.
import { join, resolve } from 'node:path'
import { unpackPackage } from './distribution-package.ts'
import { findProgram, isExecutable } from './find-program.ts'
import { cache } from './tools.ts'

const folder = join(cache, 'prometheus')
const unpacked = join(folder, 'usr/bin/promtool')

export const withoutPromtool =
  'there is no promtool: run `make tools`, or install the package prometheus, or name the program in PROMTOOL'

export function findPromtool(env: NodeJS.ProcessEnv): string | undefined {
  if (env.PROMTOOL) return resolve(env.PROMTOOL)
  return findProgram('promtool', env) ?? (isExecutable(unpacked) ? unpacked : undefined)
}

/** `say` hears of the steps. */
export function unpackPromtool(say: (step: string) => void): Promise<void> {
  return unpackPackage({ name: 'prometheus', folder, withDependencies: false, say })
}
