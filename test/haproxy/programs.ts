// The HAProxies that texts are tried on: the other tests', and the one that HAPROXY_NEWEST names.
import { spawnSync } from 'node:child_process'
import { findHAProxy } from '../cluster/haproxy.ts'

export function haproxyPrograms(env: NodeJS.ProcessEnv): { program: string; version: string }[] {
  return [findHAProxy(env) ?? 'haproxy', env.HAPROXY_NEWEST]
    .filter((program): program is string => program !== undefined && program !== '')
    .map((program) => {
      const { stdout } = spawnSync(program, ['-v'], { encoding: 'utf8' })
      return { program, version: /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown' }
    })
}
