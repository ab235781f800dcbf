// Dependencies are few, pinned, of known licences, and each is in docs/dependencies.md with a reason.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../cluster/tools.ts'

interface Package {
  version?: string
  license?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> }
const { '': own = {}, ...all } = lock.packages
const doc = read('docs/dependencies.md')
/** Node.js itself is optional: there is one for each architecture. */
const production = Object.entries(all).filter(([, { dev, optional }]) => !dev && !optional)

/** `b` as the package at `from` finds it. */
function resolve(from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (path in all) return path
    if (at === '') return undefined
  }
}

/** What each direct dependency brings that none before it does. */
function broughtBy(direct: readonly string[]): Map<string, string[]> {
  const seen = new Set(direct.map((name) => `node_modules/${name}`))
  return new Map(
    direct.map((name) => {
      const found = [`node_modules/${name}`]
      for (const path of found) {
        const { dependencies, optionalDependencies } = all[path] ?? {}
        for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) {
          const target = resolve(path, next)
          if (target === undefined || seen.has(target)) continue
          seen.add(target)
          found.push(target)
        }
      }
      const names = found.slice(1).map((path) => path.replace(/^.*node_modules\//, ''))
      return [name, [...new Set(names)].sort()]
    }),
  )
}

t.test('what is direct, and what it brings, is in docs/dependencies.md', async (t) => {
  const direct = Object.keys(own.dependencies ?? {})
  const rows = [...doc.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]*) \|$/gm)]
  const named = new Map(
    rows.map(([, name = '', , brings = '']) => [name, brings.split(', ').filter(Boolean)]),
  )
  t.strictSame(named, broughtBy(direct))
  for (const [, name, why = ''] of rows) t.ok(why.length > 20, `${name} has a reason`)
  t.ok(direct.length <= 8, `${direct.length} direct dependencies`)
})

t.test('versions are exact, and the lock file has a checksum for each', async (t) => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Package
  for (const [name, version] of Object.entries({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
  }))
    t.match(version, /^\d+\.\d+\.\d+$/, name)
  const unsure = Object.entries(all).filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
  t.strictSame(unsure, [])
})

t.test('nothing of production runs at its installation', async (t) => {
  t.strictSame(
    production.filter(([, { hasInstallScript }]) => hasInstallScript),
    [],
  )
})

t.test('licences', async (t) => {
  const allowed = /^Licences: (.*)\.$/m.exec(doc)?.[1]?.split(', ') ?? []
  t.ok(allowed.includes('MIT'))
  const others = production.filter(([, { license = 'none' }]) => !allowed.includes(license))
  t.strictSame(
    others.map(([path, { license }]) => `${path}: ${license}`),
    [],
  )
})

t.test('the SBOM of a release lists just these', async (t) => {
  const text = execFileSync(process.execPath, ['image/sbom-main.ts'], { cwd: root, encoding: 'utf8' })
  const { components } = JSON.parse(text) as { components: { name: string; version: string }[] }
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`))
  const wanted = production.map(
    ([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`,
  )
  t.strictSame(listed, new Set(wanted))
})
