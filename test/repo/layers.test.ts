// Which folder may import which: the drawing of the architecture, held against the code.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '../..')

/** From each folder, those that its files may import besides its own. */
const allowed: Record<string, string[]> = {
  lib: [],
  webhook: ['lib'],
  certs: ['lib'],
  'annotator/leader': ['lib'],
  'annotator/objects': ['lib'],
  'annotator/load-guard': ['annotator/objects', 'lib'],
  'annotator/plan': ['annotator/load-guard', 'annotator/objects', 'lib'],
  'annotator/write': ['annotator/plan', 'annotator/objects', 'lib'],
  'annotator/cluster': ['annotator/plan', 'annotator/load-guard', 'annotator/objects', 'lib'],
  'annotator/events': ['annotator/cluster', 'annotator/plan', 'annotator/objects', 'lib'],
}
const folderOf = (file: string) => Object.keys(allowed).find((folder) => file.startsWith(`${folder}/`))

for (const [folder, others] of Object.entries(allowed)) {
  t.test(`${folder} imports nothing above it`, async (t) => {
    const files = globSync(`${folder}/**/*.ts`, { cwd: root })
    t.ok(files.length > 0, 'there are such files')
    const wrong = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
        .map(([, path = '']) => join(dirname(file), path))
        .filter((path) => ![folder, ...others].includes(folderOf(path) ?? path))
        .map((path) => `${file} -> ${path}`),
    )
    t.strictSame(wrong, [])
  })
}
