// Prints the SBOM of what runs in production, in CycloneDX: `npm run sbom`. npm's own `--omit=dev` also leaves out whatever
// production shares with development, so npm sees a lock file without the rest.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './sources.ts'

interface Package {
  dev?: boolean
  optional?: boolean
}
interface Lock {
  packages: Record<string, Package>
}

const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
/** Optional is Node.js itself, which images have from their base. */
const withoutOthers = ({ devDependencies: _, optionalDependencies: __, ...kept }: Record<string, unknown>) =>
  kept

const lock = read('package-lock.json') as Lock
const packages = Object.entries(lock.packages).filter(([, { dev, optional }]) => !dev && !optional)
const [, own = {}] = packages.find(([path]) => path === '') ?? []
const parent = mkdtempSync(join(tmpdir(), 'sbom-'))
// npm names the whole after it
const folder = join(parent, 'zonefirst')
try {
  mkdirSync(folder)
  const write = (file: string, content: unknown) => writeFileSync(join(folder, file), JSON.stringify(content))
  write('package.json', withoutOthers(read('package.json')))
  write('package-lock.json', {
    ...lock,
    packages: { ...Object.fromEntries(packages), '': withoutOthers({ ...own }) },
  })
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx']
  process.stdout.write(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
} finally {
  rmSync(parent, { recursive: true })
}
