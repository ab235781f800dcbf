// Prometheus's own checker, where the machine has it: Debian's package prometheus brings it.
import { resolve } from 'node:path'
import { findProgram } from '../cluster/find-program.ts'

export const withoutPromtool =
  'there is no promtool: name the program in PROMTOOL, or install the package prometheus'

export function findPromtool(env: NodeJS.ProcessEnv): string | undefined {
  return env.PROMTOOL ? resolve(env.PROMTOOL) : findProgram('promtool', env)
}
