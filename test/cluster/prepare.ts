// Makes a machine ready for the test cluster: sees what is missing, builds the Go programs, unpacks HAProxy. The work
// itself is done by prepare-main.ts in a process of its own, one at a time for each checkout.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findHAProxy } from './haproxy.ts'
import { missing } from './needs.ts'
import { cache, outdatedPrograms } from './tools.ts'

const worker = fileURLToPath(new URL('prepare-main.ts', import.meta.url))

/** Ends the program with one sentence for each thing that is missing and can't be made. */
export function prepare(env: NodeJS.ProcessEnv): void {
  const faults = missing(env)
  if (faults.length === 0 && (outdatedPrograms().length > 0 || !findHAProxy(env))) {
    mkdirSync(cache, { recursive: true })
    // flock's lock goes with the process that holds it, however that ends. Standard output is the program's own.
    const done = spawnSync(
      'setpriv',
      ['--pdeathsig', 'TERM', '--', 'flock', `${cache}/lock`, process.execPath, worker],
      { stdio: ['ignore', 2, 2], env },
    )
    if (done.status !== 0) process.exit(1)
  }
  for (const fault of faults) console.error(`test cluster: ${fault}`)
  if (faults.length > 0) process.exit(1)
}
