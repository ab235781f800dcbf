// What the machine has to have for the test cluster, each with the sentence for whoever lacks it.
import { spawnSync } from 'node:child_process'
import { findProgram } from './find-program.ts'
import { findHAProxy } from './haproxy.ts'
import { outdatedPrograms, programs } from './tools.ts'

/** One sentence for each thing that is missing and that the test cluster can't make itself. */
export function missing(env: NodeJS.ProcessEnv, needed = programs): string[] {
  if (process.platform !== 'linux') {
    return ['it needs the network namespaces of Linux: run it on a Linux machine or in a virtual one.']
  }
  const lacks = (program: string) => !findProgram(program, env)
  const faults: string[] = []
  const utilLinux = ['unshare', 'nsenter', 'setpriv', 'flock', 'mount'].filter(lacks)
  if (utilLinux.length > 0) faults.push(`${utilLinux.join(', ')} not found: install the package util-linux.`)
  if (lacks('ip')) faults.push('ip not found: install the package iproute2.')
  if (lacks('hostname')) faults.push('hostname not found: install the package hostname.')
  if (outdatedPrograms(needed).length > 0 && lacks('go')) {
    faults.push('go not found, which builds the cluster’s programs: install Go 1.26 or later.')
  }
  if (!findHAProxy(env)) {
    if (env.HAPROXY) faults.push(`HAPROXY names ${env.HAPROXY}, which is no program: correct or unset it.`)
    else if (lacks('apt-get') || lacks('dpkg')) {
      faults.push('haproxy not found: install the package haproxy, or name the program in HAPROXY.')
    }
  }
  if (utilLinux.length === 0) {
    const trial = spawnSync('unshare', ['-rnmpf', '--mount-proc', 'mount', '-t', 'tmpfs', 'tmpfs', '/run'], {
      encoding: 'utf8',
    })
    if (trial.status !== 0) faults.push(namespacesRefused(trial.stderr.trim()))
  }
  return faults
}

function namespacesRefused(reason: string): string {
  return (
    `this machine lets nobody make namespaces (${reason}): as root, set sysctl user.max_user_namespaces above 0 ` +
    'and, where they exist, kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0; ' +
    'in a container, start it with --privileged.'
  )
}
