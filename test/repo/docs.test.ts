// What the pages link to and name is there.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '../..')
const pages = globSync('{*.md,docs/**/*.md,manifests/**/*.md}', { cwd: root }).sort()

t.ok(pages.length > 8)
for (const page of pages) {
  t.test(page, async (t) => {
    const text = readFileSync(join(root, page), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '')
    for (const link of links) t.ok(existsSync(join(root, dirname(page), link)), `links to ${link}`)
    const named = text.match(/\b(manifests|docs|test|annotator|webhook|certs|lib|image)\/[\w./-]*\w/g) ?? []
    for (const path of new Set(named)) t.ok(existsSync(join(root, path)), `names ${path}`)
  })
}
