// Runs the tests' programs as somebody who isn't root.
import { spawnSync } from 'node:child_process'
import { root } from './tools.ts'

/**
 * What to put before a command so that an ordinary user runs it; nothing where an ordinary user runs the tests.
 * Undefined where the checkout's folders are closed to others.
 */
export function asOrdinaryUser(): string[] | undefined {
  if (process.getuid?.() !== 0) return []
  const become = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--']
  const [program = '', ...args] = [...become, 'ls', root, process.execPath]
  return spawnSync(program, args).status === 0 ? become : undefined
}

/** Keeps the test runner's own settings from the command: it measures coverage in folders that others can't write. */
export function withPlainEnvironment(env: NodeJS.ProcessEnv, more: Record<string, string> = {}): string[] {
  const kept = ['PATH', 'HAPROXY'].flatMap((name) => (env[name] ? [`${name}=${env[name]}`] : []))
  return ['env', '-i', ...kept, ...Object.entries(more).map(([name, value]) => `${name}=${value}`)]
}
