// Renders the files that are installed without Helm: `make manifests`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { render, renderings } from './render.ts'

const helm = process.env.HELM || join(import.meta.dirname, '../.cache/bin/helm')
for (const file of Object.keys(renderings)) {
  writeFileSync(join(import.meta.dirname, file), render(helm, file))
  console.log(`manifests/${file}`)
}
