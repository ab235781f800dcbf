// Builds what is outdated, our image's files too, and unpacks HAProxy where there is none, with progress. prepare.ts
// starts it, one at a time, with the names of the programs; run by hand without names, it builds all, and fetches
// promtool, kubernetes-validate and prometheus-operator's definitions.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { bundle } from '../../image/bundle.ts'
import { bundleIsOutdated } from '../../image/sources.ts'
import { findValidator, installValidator } from '../manifests/kubernetes-validate.ts'
import { findHAProxy, unpackHAProxy } from './haproxy.ts'
import { prometheusOperatorFolder } from './prometheus-operator.ts'
import { findPromtool, unpackPromtool } from './promtool.ts'
import {
  allPrograms,
  bin,
  builtFile,
  cache,
  keyOf,
  linkFlags,
  moduleFolder,
  outdatedPrograms,
  type Program,
} from './tools.ts'

const say = (step: string) => console.error(`test cluster: ${step}`)

/** Builds programs of one module, into a folder beside, so that a half build is never taken for a whole one. */
async function build(programs: Program[]): Promise<void> {
  const fresh = join(cache, `bin.${process.pid}`)
  const keys = programs.map((program) => [program.name, keyOf(program)])
  await mkdir(bin, { recursive: true })
  try {
    await goBuild(programs, fresh)
    for (const program of programs) await rename(join(fresh, outputName(program)), join(bin, program.name))
    const before = existsSync(builtFile) ? JSON.parse(readFileSync(builtFile, 'utf8')) : {}
    await writeFile(join(fresh, 'built'), JSON.stringify({ ...before, ...Object.fromEntries(keys) }, null, 2))
    await rename(join(fresh, 'built'), builtFile)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Go names a program after its import path's last element that is no major version. */
function outputName(program: Program): string {
  return basename(program.package.replace(/\/v\d+$/, ''))
}

/** Says how far it is every few seconds, since the first build takes minutes. */
async function goBuild(programs: Program[], folder: string): Promise<void> {
  const names = programs.map((program) => program.name).join(', ')
  say(`building ${names} (minutes, the first time) …`)
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 1000)
  const packages = programs.map((program) => program.package)
  const go = spawn('go', ['build', '-v', '-ldflags', linkFlags(), '-o', `${folder}/`, ...packages], {
    cwd: moduleFolder(programs[0] as Program),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(go, 'close') as Promise<[number | null]>
  const complaints: string[] = []
  let compiled = 0
  const timer = setInterval(() => say(`${compiled} packages compiled, ${seconds()} s`), 15_000)
  try {
    for await (const line of createInterface(go.stderr)) {
      if (/^\S+$/.test(line)) compiled++
      else if (!line.startsWith('go: downloading')) complaints.push(line)
    }
    const [status] = await ended
    if (status !== 0) throw new Error(`go build failed:\n${complaints.slice(-30).join('\n')}`)
  } finally {
    clearInterval(timer)
  }
  say(`built in ${seconds()} s`)
}

try {
  const names = process.argv.slice(2)
  const needed = allPrograms.filter(({ name }) => names.length === 0 || names.includes(name))
  for (const ofModule of Map.groupBy(outdatedPrograms(needed), moduleFolder).values()) await build(ofModule)
  if (bundleIsOutdated()) await bundle()
  if (!findHAProxy(process.env)) {
    await unpackHAProxy(say).catch((error: Error) => {
      const remedy = 'install the package haproxy, or name the program in HAPROXY'
      throw new Error(`haproxy can’t be downloaded: ${remedy}. ${error.message}`)
    })
  }
  // so that no test has to
  if (names.length === 0) prometheusOperatorFolder()
  // for a few tests, which are skipped without them
  if (names.length === 0 && !findPromtool(process.env)) {
    await unpackPromtool(say).catch((error: Error) => say(`promtool can’t be downloaded: ${error.message}`))
  }
  if (names.length === 0 && !findValidator(process.env)) {
    say('installing kubernetes-validate …')
    try {
      installValidator()
    } catch (error) {
      say(`kubernetes-validate can’t be installed: ${error instanceof Error ? error.message : error}`)
    }
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
