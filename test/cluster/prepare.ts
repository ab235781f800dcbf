// Makes a machine ready for the test cluster: sees what is missing, builds the Go programs, unpacks HAProxy, bundles
// what our image holds. The work itself is done by prepare-main.ts in a process of its own, one at a time for each
// checkout.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleIsOutdated } from '../../image/sources.ts'
import { findHAProxy } from './haproxy.ts'
import { missing } from './needs.ts'
import { cache, outdatedPrograms, programs } from './tools.ts'

const worker = fileURLToPath(new URL('prepare-main.ts', import.meta.url))

/** Ends the program with one sentence for each thing that is missing and can't be made. */
export function prepare(env: NodeJS.ProcessEnv, needed = programs): void {
  const faults = missing(env, needed)
  if (
    faults.length === 0 &&
    (outdatedPrograms(needed).length > 0 || !findHAProxy(env) || bundleIsOutdated())
  ) {
    mkdirSync(cache, { recursive: true })
    const lock = `${cache}/lock`
    if (spawnSync('flock', ['--nonblock', lock, 'true']).status !== 0) {
      console.error('test cluster: waiting for another program that builds what the cluster needs …')
    }
    // flock's lock goes with the process that holds it, however that ends. Standard output is the program's own.
    const command = ['flock', lock, process.execPath, worker, ...needed.map(({ name }) => name)]
    const done = spawnSync('setpriv', ['--pdeathsig', 'TERM', '--', ...command], {
      stdio: ['ignore', 2, 2],
      env,
    })
    if (done.status !== 0) process.exit(1)
  }
  for (const fault of faults) console.error(`test cluster: ${fault}`)
  if (faults.length > 0) process.exit(1)
}
