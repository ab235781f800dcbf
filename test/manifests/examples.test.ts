// The examples for Argo CD and Flux: of today's version, with values that the chart takes, naming files that are there.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../cluster/tools.ts'
import { find, objectsIn, renderFor } from './chart.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = globSync('manifests/examples/**/*.yaml', { cwd: root }).sort()
const { version } = JSON.parse(read('package.json'))
const objects = files.flatMap((file) => objectsIn(read(file)))

t.test('Argo CD', async (t) => {
  const { source, destination } = find(objects, 'Application', 'zonefirst').spec
  t.equal(source.targetRevision, version)
  t.equal(destination.namespace, 'zonefirst-system')
  const rendered = objectsIn(renderFor(source.helm.valuesObject))
  t.ok(find(rendered, 'Namespace', 'zonefirst-system'))

  const [chart, ours] = find(objects, 'Application', 'haproxy-ingress').spec.sources
  const [, folder] = /^\$zonefirst\/(.+)$/.exec(chart.helm.valueFiles[0]) ?? []
  t.ok(folder !== undefined && existsSync(join(root, folder)))
  t.strictSame([ours.ref, ours.targetRevision], ['zonefirst', `v${version}`])
  t.strictSame(globSync(ours.directory.include, { cwd: join(root, ours.path) }).sort(), [
    'annotator-role.yaml',
    'validation-rules.yaml',
  ])
})

t.test('Flux', async (t) => {
  const { ref, url } = find(objects, 'OCIRepository', 'zonefirst').spec
  const [major, minor] = version.split('.')
  t.equal(ref.semver, `${major}.${minor}.x`)
  const { repoURL, chart } = find(objects, 'Application', 'zonefirst').spec.source
  t.equal(url, `oci://${repoURL}/${chart}`)
  t.equal(find(objects, 'HelmRelease', 'zonefirst').spec.targetNamespace, 'zonefirst-system')

  const git = find(objects, 'GitRepository', 'zonefirst').spec
  t.equal(git.ref.tag, `v${version}`)
  const { path } = find(objects, 'Kustomization', 'zonefirst-controller').spec
  const kept = git.ignore.split('\n').filter((line: string) => line.endsWith('.yaml'))
  t.equal(kept.length, 2)
  for (const line of kept) {
    t.ok(existsSync(join(root, line.slice(1))), line)
    t.ok(line.startsWith(`!${path.slice(1)}/`), line)
  }
})
