import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keyOf, kubernetesVersion, linkFlags, programs, tools } from './tools.ts'

t.test('the programs report the version of Kubernetes that go.mod pins', async (t) => {
  const version = kubernetesVersion()
  t.match(version, /^v1\.\d+\.\d+$/)
  t.match(readFileSync(join(tools, 'go.mod'), 'utf8'), `k8s.io/kubernetes ${version}`)
  const [, minor] = /^v1\.(\d+)/.exec(version) ?? []
  const name = 'k8s.io/component-base/version'
  t.match(linkFlags(), `-X ${name}.gitVersion=${version} -X ${name}.gitMajor=1 -X ${name}.gitMinor=${minor}`)
})

t.test('a change of our own sources builds our own program again, and no other', async (t) => {
  const keys = new Map(programs.map((program) => [program.name, keyOf(program)]))
  const standIn = keys.get('ingress-controller-standin')
  keys.delete('ingress-controller-standin')
  t.equal(new Set(keys.values()).size, 1, 'the others are keyed by the module alone')
  t.notOk([...keys.values()].includes(standIn ?? ''))
})

t.test('every tool of go.mod is built', async (t) => {
  const [, block = ''] = /^tool \(\n([^)]*)\)/m.exec(readFileSync(join(tools, 'go.mod'), 'utf8')) ?? []
  const wanted = block.trim().split(/\s+/).sort()
  const built = programs.map((program) => program.package).filter((name) => !name.startsWith('.'))
  t.same(built.sort(), wanted)
})
