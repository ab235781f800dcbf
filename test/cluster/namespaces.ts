// Runs the program again inside private user, network, mount and process namespaces, which need no root, hide its
// networks from everything else and end with it: whatever it started or wrote to /run is gone then. What has to be
// done outside (checks, builds, downloads) is done before.
import { spawnSync } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { delimiter } from 'node:path'
import { findHAProxy } from './haproxy.ts'
import { prepare } from './prepare.ts'
import { bin, programs } from './tools.ts'

/** Holds the process namespace that was made for the program: a variable that was merely inherited doesn't match. */
const marker = 'TEST_CLUSTER_NAMESPACE'

// The first process stays a shell, since it has to collect processes whose parents have gone.
const firstProcess = `
set -e
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -m 1777 /run/tmp
ip link set lo up
${marker}="$(readlink /proc/self/ns/pid)"
export ${marker}
"$@"
exit $?`

/** Returns only inside. */
export function enterNamespaces(needed = programs): void {
  if (process.platform === 'linux' && process.env[marker] === readlinkSync('/proc/self/ns/pid')) return
  prepare(process.env, needed)
  enter()
}

function enter(): void {
  // Handlers (test runners set some) couldn't run while this waits: without them a signal ends everything at once.
  for (const event of process.eventNames())
    if (String(event).startsWith('SIG')) process.removeAllListeners(event)
  const path = [bin, process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter)
  const inside = spawnSync(
    'setpriv',
    [
      ...['--pdeathsig', 'KILL', '--'],
      ...['unshare', '-rnmpf', '--kill-child', '--mount-proc', '--'],
      ...['sh', '-c', firstProcess, 'sh'],
      ...[process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        PATH: path,
        HAPROXY: findHAProxy(process.env),
        TMPDIR: '/run/tmp',
        ZONEFIRST_OUTER_PID: String(process.pid),
      },
    },
  )
  if (inside.error) throw inside.error
  if (inside.signal) process.kill(process.pid, inside.signal)
  // A run once stayed here after all inside had ended. Unlike process.exit(), this waits for no thread of a loader's.
  process.execve?.('/bin/sh', ['sh', '-c', `exit ${inside.status ?? 1}`], process.env)
}
