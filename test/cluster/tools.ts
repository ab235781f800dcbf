// The cluster's programs that are built from Go modules (test/tools): which there are, where they lie, and whether
// those that lie there are of today's sources. Building them is prepare-main.ts's.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const cache = join(root, '.cache')
/** Holds every program that the cluster brings along; it is first in PATH inside the namespaces. */
export const bin = join(cache, 'bin')
export const tools = join(root, 'test/tools')
/** PATH of everything that runs in the cluster. */
export const searchPath = `${bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`
/** Name and key of every program that was built whole. */
export const builtFile = join(bin, 'built.json')

export interface Program {
  name: string
  package: string
}

export const programs: Program[] = [
  { name: 'etcd', package: 'go.etcd.io/etcd/server/v3' },
  { name: 'coredns', package: 'github.com/coredns/coredns' },
  { name: 'kube-apiserver', package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  { name: 'kube-controller-manager', package: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  { name: 'kube-scheduler', package: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  { name: 'kubectl', package: 'k8s.io/kubernetes/cmd/kubectl' },
  { name: 'ingress-controller-standin', package: './ingress-controller' },
]

/** The version of Kubernetes that go.mod asks for, such as v1.36.3. */
export function kubernetesVersion(): string {
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(read('go.mod'))?.[1]
  if (!version) throw new Error(`${tools}/go.mod requires no k8s.io/kubernetes: add it`)
  return version
}

/** Without these the server reports a version that clients can't parse. */
export function linkFlags(): string {
  const version = kubernetesVersion()
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? []
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  const set = Object.entries(values).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  )
  return ['-s', '-w', ...set].join(' ')
}

/** Changes whenever the program has to be built again. */
export function keyOf(program: Program): string {
  const sources = program.package.startsWith('.')
    ? globSync(`${program.package}/**/*.go`, { cwd: tools })
    : []
  const hash = createHash('sha256').update(linkFlags())
  for (const file of ['go.mod', 'go.sum', ...sources.sort()]) hash.update(`\0${file}\0${read(file)}`)
  return hash.digest('hex')
}

/** Programs whose sources are there and that were never built, or from other sources. */
export function outdatedPrograms(): Program[] {
  const built = existsSync(builtFile) ? (JSON.parse(readFileSync(builtFile, 'utf8')) as object) : {}
  const keys = new Map<string, string>(Object.entries(built))
  return programs.filter(
    (program) =>
      existsSync(join(tools, program.package.startsWith('.') ? program.package : '')) &&
      (keys.get(program.name) !== keyOf(program) || !existsSync(join(bin, program.name))),
  )
}

function read(file: string): string {
  return readFileSync(join(tools, file), 'utf8')
}
