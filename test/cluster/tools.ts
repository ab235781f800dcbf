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
  /** The folder of its Go module, from the folder of the tools, where that is not the module itself. */
  module?: string
}

/** What every cluster needs. */
export const programs: Program[] = [
  { name: 'etcd', package: 'go.etcd.io/etcd/server/v3' },
  { name: 'coredns', package: 'github.com/coredns/coredns' },
  { name: 'kube-apiserver', package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  { name: 'kube-controller-manager', package: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  { name: 'kube-scheduler', package: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  { name: 'kubectl', package: 'k8s.io/kubernetes/cmd/kubectl' },
  { name: 'ingress-controller-standin', package: './ingress-controller' },
]

/** For clusters with cert-manager alone: enter-with-cert-manager.ts asks for them. */
export const certManagerPrograms: Program[] = [
  { name: 'cert-manager-controller', package: './controller', module: 'cert-manager' },
  { name: 'cert-manager-ca-injector', package: './ca-injector', module: 'cert-manager' },
]

/** For tests of the chart alone. */
export const chartPrograms: Program[] = [
  { name: 'helm', package: 'helm.sh/helm/v3/cmd/helm', module: 'helm' },
  { name: 'kube-score', package: 'github.com/zegl/kube-score/cmd/kube-score', module: 'kube-score' },
]

export const allPrograms = [...programs, ...certManagerPrograms, ...chartPrograms]

export function moduleFolder({ module = '' }: Program): string {
  return join(tools, module)
}

/** The version of Kubernetes that go.mod asks for, such as v1.36.3. */
export function kubernetesVersion(): string {
  const goMod = readFileSync(join(tools, 'go.mod'), 'utf8')
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(goMod)?.[1]
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
  const cwd = moduleFolder(program)
  const sources = program.package.startsWith('.') ? globSync(`${program.package}/**/*.go`, { cwd }) : []
  const hash = createHash('sha256').update(linkFlags())
  for (const file of ['go.mod', 'go.sum', ...sources.sort()]) {
    hash.update(`\0${file}\0`).update(readFileSync(join(cwd, file)))
  }
  return hash.digest('hex')
}

/** Programs that were never built, or from other sources. */
export function outdatedPrograms(needed: readonly Program[]): Program[] {
  const built = existsSync(builtFile) ? (JSON.parse(readFileSync(builtFile, 'utf8')) as object) : {}
  const keys = new Map<string, string>(Object.entries(built))
  return needed.filter(
    (program) => keys.get(program.name) !== keyOf(program) || !existsSync(join(bin, program.name)),
  )
}
