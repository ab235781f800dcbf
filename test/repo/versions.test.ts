// The versions that docs/versions.md names for the control plane are those that the test cluster is built of.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../cluster/tools.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')

t.test('the control plane’s', async (t) => {
  const [, header = '', , row = ''] =
    /\n(\| Kubernetes.*)\n(\|.*)\n(\|.*)\n/.exec(read('docs/versions.md')) ?? []
  const cells = (line: string) => line.split('|').map((cell) => cell.trim())
  const named = Object.fromEntries(cells(header).map((name, index) => [name, cells(row)[index] ?? '']))
  const modules: Record<string, [string, string]> = {
    Kubernetes: ['test/tools/go.mod', 'k8s.io/kubernetes'],
    etcd: ['test/tools/go.mod', 'go.etcd.io/etcd/server/v3'],
    CoreDNS: ['test/tools/go.mod', 'github.com/coredns/coredns'],
    'cert-manager': ['test/tools/cert-manager/go.mod', 'github.com/cert-manager/cert-manager'],
  }
  for (const [name, [file, path]] of Object.entries(modules)) {
    const version = versionOf(file, path)
    t.match(named[name], new RegExp(`^${version.replaceAll('.', '\\.')}(,|$)`), `${name} ${version}`)
  }
})

t.test('those that install it and take its objects', async (t) => {
  const rows = [...read('docs/versions.md').matchAll(/^\| ([^|]+) \| (\d\S*) \|/gm)]
  const named = rows.map(([, name = '', version = '']) => `${name} ${version}`)
  const modules: Record<string, [string, string]> = {
    Helm: ['test/tools/helm/go.mod', 'helm.sh/helm/v3'],
    'kubectl with its kustomize': ['test/tools/go.mod', 'k8s.io/kubernetes'],
    "prometheus-operator's definitions": [
      'test/tools/prometheus-operator/go.mod',
      'github.com/prometheus-operator/prometheus-operator',
    ],
  }
  for (const [name, [file, path]] of Object.entries(modules)) {
    t.ok(named.includes(`${name} ${versionOf(file, path)}`), `${name} ${versionOf(file, path)}`)
  }
})

function versionOf(file: string, path: string): string {
  const [, version] = new RegExp(`^\\s*(?:require )?${path} v(\\S+)`, 'm').exec(read(file)) ?? []
  if (version === undefined) throw new Error(`${file} has no ${path}`)
  return version
}
