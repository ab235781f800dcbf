// HAProxy for the tests: the one that HAPROXY names, else the machine's, else the distribution's package unpacked
// into the cache, together with the libraries that it needs, so that neither root nor a change of the system is needed.
import { execFile } from 'node:child_process'
import { chmod, glob, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
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
  const work = join(cache, 'haproxy.new')
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  try {
    say('downloading the distribution’s package haproxy …')
    await download(work, [])
  } catch {
    say('renewing the lists of packages first …')
    await download(work, await renewLists(work))
  }
  for (const file of await readdir(work)) {
    if (file.endsWith('.deb')) await run('dpkg', ['-x', join(work, file), join(work, 'root')])
  }
  await rm(join(cache, 'haproxy'), { recursive: true, force: true })
  await rename(join(work, 'root'), join(cache, 'haproxy'))
  await rm(work, { recursive: true })
  await writeWrapper()
}

/** The package and those that its installation would bring along. */
async function download(folder: string, options: string[]): Promise<void> {
  const common = [...options, '-o', 'APT::Sandbox::User=root']
  const simulated = await run('apt-get', [...common, '-s', '--no-install-recommends', 'install', 'haproxy'])
  const packages = [...simulated.stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] as string)
  await run('apt-get', [...common, 'download', ...packages], { cwd: folder })
}

/** Into lists of our own: the system's may be missing or old, and only root may renew those. */
async function renewLists(folder: string): Promise<string[]> {
  await mkdir(join(folder, 'lists/partial'), { recursive: true })
  await mkdir(join(folder, 'archives/partial'), { recursive: true })
  const own = ['-o', `Dir::State::lists=${folder}/lists`, '-o', `Dir::Cache=${folder}`]
  await run('apt-get', [...own, '-o', 'APT::Sandbox::User=root', '-q', 'update'])
  return own
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
