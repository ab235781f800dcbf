// What can't be run here, the image's recipe and the workflows, is held to rules as a text.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
}
interface Workflow {
  on: Record<string, unknown>
  permissions?: Record<string, string>
  jobs: Record<string, { steps: Step[]; 'timeout-minutes'?: number; permissions?: Record<string, string> }>
}

t.test('the image', async (t) => {
  const lines = read('image/Dockerfile').split('\n')
  const bases = lines.filter((line) => line.startsWith('FROM '))
  t.equal(bases.length, 1)
  t.match(bases[0], /@sha256:[0-9a-f]{64}$/, 'its base is one content, not whatever a tag names today')
  t.match(
    lines.find((line) => line.startsWith('USER ')) ?? '',
    /^USER [1-9]\d*:[1-9]\d*$/,
    'no root, by number',
  )
  t.notOk(
    lines.some((line) => /^(RUN|ADD) /.test(line)),
    'nothing is fetched or run while it is built',
  )
})

for (const file of globSync('.github/workflows/*.yaml', { cwd: root })) {
  const workflow = parse(read(file)) as Workflow
  t.test(file, async (t) => {
    t.strictSame(workflow.permissions, { contents: 'read' }, 'what a job may beyond that, it says itself')
    t.notOk('pull_request_target' in workflow.on, 'no code of strangers runs with rights of ours')
    for (const [name, job] of Object.entries(workflow.jobs)) {
      t.ok(job['timeout-minutes'], `${name} ends`)
      for (const { uses, run, with: input } of job.steps) {
        if (uses) t.match(uses, /@[0-9a-f]{40}$/, `${uses} is pinned by commit`)
        if (uses?.startsWith('actions/checkout@')) t.equal(input?.['persist-credentials'], false)
        if (run) t.notMatch(run, /\$\{\{/, `${name}: values reach a script by its environment alone`)
      }
    }
  })
}

t.test('make commands that workflows call exist', async (t) => {
  const makefile = read('Makefile')
  const called = globSync('.github/workflows/*.yaml', { cwd: root })
    .flatMap((file) => Object.values((parse(read(file)) as Workflow).jobs))
    .flatMap(({ steps }) => steps.flatMap(({ run = '' }) => [...run.matchAll(/\bmake ([a-z -]+)/g)]))
    .flatMap(([, targets = '']) => targets.trim().split(' '))
  t.ok(called.length > 0)
  for (const target of called) t.match(makefile, new RegExp(`^${target}:`, 'm'), target)
})
