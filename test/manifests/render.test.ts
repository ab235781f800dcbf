// The files that are installed without Helm are what the chart renders.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { helmTemplate, render, renderings } from '../../manifests/render.ts'
import { root } from '../cluster/tools.ts'
import { objectsIn, tool } from './chart.ts'

const read = (file: string) => readFileSync(join(root, 'manifests', file), 'utf8')

t.test('every rendered file is of today’s chart', async (t) => {
  for (const file of Object.keys(renderings)) {
    t.equal(read(file), render(tool('helm'), file), `manifests/${file}: run \`make manifests\``)
  }
})

t.test('the kustomize base is one of them', async (t) => {
  t.strictSame(parse(read('kustomization.yaml')).resources, ['install.yaml'])
})

t.test('nothing is random, looked up or left to a hook', async (t) => {
  const text = read('install.yaml') + read('install-self-managed.yaml')
  for (const word of ['helm.sh/hook', 'caBundle:', 'helm.sh/chart']) {
    const lines = text.split('\n').filter((line) => line.includes(word) && !line.trim().startsWith('#'))
    t.strictSame(lines, [], word)
  }
  const names = objectsIn(read('install.yaml')).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  t.equal(new Set(names).size, names.length)
})

t.test('what Helm complains about is in the error', async (t) => {
  const values = { webhook: { port: 0 } }
  t.throws(() => helmTemplate({ helm: tool('helm'), values }), { message: /webhook.*port/s })
})
