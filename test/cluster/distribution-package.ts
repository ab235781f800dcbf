// A package of the distribution, unpacked beside the system instead of installed: neither root nor a change of the system
// is needed.
import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface PackageOptions {
  name: string
  /** Takes the package's files; what was there before goes. */
  folder: string
  /** Whether what its installation would bring along comes too. */
  withDependencies: boolean
  /** Hears of the steps. */
  say: (step: string) => void
}

export async function unpackPackage(options: PackageOptions): Promise<void> {
  const { name, folder, say } = options
  const work = `${folder}.new`
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  try {
    say(`downloading the distribution’s package ${name} …`)
    await download(options, work, [])
  } catch {
    say('renewing the lists of packages first …')
    await download(options, work, await renewLists(work))
  }
  for (const file of await readdir(work)) {
    if (file.endsWith('.deb')) await run('dpkg', ['-x', join(work, file), join(work, 'root')])
  }
  await rm(folder, { recursive: true, force: true })
  await rename(join(work, 'root'), folder)
  await rm(work, { recursive: true })
}

async function download(
  { name, withDependencies }: PackageOptions,
  folder: string,
  options: string[],
): Promise<void> {
  const common = [...options, '-o', 'APT::Sandbox::User=root']
  const packages = withDependencies ? await installedWith(name, common) : [name]
  await run('apt-get', [...common, 'download', ...packages], { cwd: folder })
}

async function installedWith(name: string, options: string[]): Promise<string[]> {
  const { stdout } = await run('apt-get', [...options, '-s', '--no-install-recommends', 'install', name])
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] as string)
}

/** Into lists of our own: the system's may be missing or old, and only root may renew those. */
async function renewLists(folder: string): Promise<string[]> {
  await mkdir(join(folder, 'lists/partial'), { recursive: true })
  await mkdir(join(folder, 'archives/partial'), { recursive: true })
  const own = ['-o', `Dir::State::lists=${folder}/lists`, '-o', `Dir::Cache=${folder}`]
  await run('apt-get', [...own, '-o', 'APT::Sandbox::User=root', '-q', 'update'])
  return own
}
