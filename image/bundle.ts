// Makes of each program one JavaScript file, as the image holds them: `npm run bundle`. They start in half the time that
// the sources take, in a fifth less memory. What they share is in chunks beside, so that client-node, which only a
// kubeconfig needs, is read by nobody in a cluster.
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { data, imageFolder, keyOfSources, programs, root } from './sources.ts'

/** Replaces the folder as a whole: a program that is started meanwhile finds the old one, or the new. */
export async function bundle(): Promise<void> {
  const key = keyOfSources()
  const fresh = `${imageFolder}.${process.pid}`
  try {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: programs
        .map((program) => `${program}/main.ts`)
        .filter((file) => existsSync(join(root, file))),
      outdir: fresh,
      outbase: '.',
      chunkNames: 'chunks/[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      legalComments: 'none',
      metafile: true,
      logLevel: 'error',
      // for the libraries that are CommonJS
      banner: {
        js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
      },
    })
    writeFileSync(join(fresh, 'package.json'), '{"type":"module"}\n')
    writeFileSync(join(fresh, 'LICENSES.txt'), licences(metafile))
    for (const file of data) cpSync(join(root, file), join(fresh, file))
    writeFileSync(join(fresh, 'key'), key)
    mkdirSync(join(root, 'build'), { recursive: true })
    rmSync(imageFolder, { recursive: true, force: true })
    renameSync(fresh, imageFolder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** The licence of every package of which something is in the bundle, with its text. */
function licences(metafile: Metafile): string {
  const folders = Object.keys(metafile.inputs).flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [],
  )
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const texts = globSync('{LICEN[CS]E,licen[cs]e,NOTICE}*', { cwd: join(root, folder) }).sort()
    const text = texts.map((file) => readFileSync(join(root, folder, file), 'utf8').trim()).join('\n\n')
    return `${name} ${version}: ${license}\n\n${text}\n`
  })
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}

if (import.meta.main) await bundle()
