// The strict schemas of every Kubernetes version, with their checker: the one that KUBERNETES_VALIDATE names, else the
// machine's, else PyPI's. Without one, what needs it is skipped.
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { findProgram, isExecutable } from '../cluster/find-program.ts'
import { cache } from '../cluster/tools.ts'

const pinned = 'kubernetes-validate==1.37.0'
const folder = join(cache, pinned)
const installed = join(folder, 'bin/kubernetes-validate')

export const withoutValidator =
  'there is no kubernetes-validate: run `make tools` where Python has pip, or name the program in KUBERNETES_VALIDATE'

export function findValidator(env: NodeJS.ProcessEnv): string | undefined {
  if (env.KUBERNETES_VALIDATE) return resolve(env.KUBERNETES_VALIDATE)
  return findProgram('kubernetes-validate', env) ?? (isExecutable(installed) ? installed : undefined)
}

/** Throws where there is no Python, no pip or no registry. */
export function installValidator(): void {
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input']
  const { status, error, stderr } = spawnSync('python3', [...args, '--target', folder, pinned], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(error?.message ?? stderr.trim().split('\n').at(-1))
}

/** Whether the objects of a file are right for a minor version of Kubernetes 1, and what the checker says. */
export function validate(validator: string, file: string, minor: number) {
  const args = ['--kubernetes-version', `1.${minor}`, '--strict', file]
  // what --target installs is found by its path alone
  const env = validator === installed ? { ...process.env, PYTHONPATH: folder } : process.env
  const { status, stdout, stderr } = spawnSync(validator, args, { encoding: 'utf8', env })
  return { status, output: stdout + stderr }
}
