// HAProxy for the tests: the one that HAPROXY names, else the machine's, else the distribution's package unpacked
// into the cache, together with the libraries that it needs, so that neither root nor a change of the system is needed.
import { execFile } from 'node:child_process'
import { chmod, glob, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { unpackPackage } from './distribution-package.ts'
import { findProgram, isExecutable } from './find-program.ts'
import { bin, cache } from './tools.ts'

const run = promisify(execFile)
const unpacked = join(bin, 'haproxy')

export function findHAProxy(env: NodeJS.ProcessEnv): string | undefined {
  if (env.HAPROXY) return isExecutable(env.HAPROXY) ? resolve(env.HAPROXY) : undefined
  return findProgram('haproxy', env) ?? (isExecutable(unpacked) ? unpacked : undefined)
}

/** `say` hears of the steps. */
export async function unpackHAProxy(say: (step: string) => void): Promise<void> {
  await unpackPackage({ name: 'haproxy', folder: join(cache, 'haproxy'), withDependencies: true, say })
  await writeWrapper()
}

async function writeWrapper(): Promise<void> {
  const libraries = new Set<string>()
  for await (const library of glob(join(cache, 'haproxy/**/*.so*'))) libraries.add(dirname(library))
  const path = [...libraries].map((folder) => `$here/${relative(bin, folder)}`).join(':')
  const lines = [
    '#!/bin/sh',
    'here=$(dirname "$0")',
    ...(path ? [`export LD_LIBRARY_PATH="${path}"`] : []),
    'exec "$here/../haproxy/usr/sbin/haproxy" "$@"',
  ]
  await mkdir(bin, { recursive: true })
  await writeFile(`${unpacked}.new`, `${lines.join('\n')}\n`)
  await chmod(`${unpacked}.new`, 0o755)
  await run(`${unpacked}.new`, ['-v'])
  await rename(`${unpacked}.new`, unpacked)
}
