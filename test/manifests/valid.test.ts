// The objects under other people's eyes: the strict schemas of every Kubernetes version that is supported, and
// kube-score.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { renderFor, tool } from './chart.ts'
import { findValidator, validate, withoutValidator } from './kubernetes-validate.ts'

/** The oldest one that the chart takes, and the newest that is out. */
const minors = { oldest: 28, newest: 37 }
const validator = findValidator(process.env)
const skip = !validator && withoutValidator

const everything = {
  namespace: { create: true },
  commonLabels: { team: 'edge' },
  priorityClassName: 'high',
  webhook: {
    clientCA: { secretName: 'api-ca' },
    settings: { bodyLimit: 1_048_576 },
    tolerations: [{ operator: 'Exists' }],
  },
  image: { pullSecrets: [{ name: 'login' }] },
  metrics: { podMonitor: { enabled: true }, serviceMonitor: { enabled: true }, dashboard: { enabled: true } },
}
const modes = ['cert-manager', 'self-managed']

function validateText(text: string, minor: number, folder: string) {
  const file = join(folder, `v1.${minor}.yaml`)
  writeFileSync(file, text)
  return validate(validator ?? '', file, minor)
}

t.test('valid by the strict schemas of every supported version', { skip }, async (t) => {
  const folder = t.testdir()
  for (let minor = minors.oldest; minor <= minors.newest; minor++) {
    const policies = { admissionPolicies: { enabled: minor >= 30 } }
    for (const mode of modes) {
      const values = { ...everything, ...policies, certificates: { mode } }
      const text = renderFor(values, `--kube-version=1.${minor}`)
      const { status, output } = validateText(text, minor, folder)
      t.equal(status, 0, `1.${minor}, ${mode}: ${output.match(/^(ERROR|FAIL).*/m)?.[0] ?? ''}`)
      const unknown = [...output.matchAll(/schema for kind \w+ with api version (\S+)/g)].map(
        (match) => match[1],
      )
      const foreign = ['cert-manager.io/v1', 'monitoring.coreos.com/v1']
      t.strictSame(
        unknown.filter((version) => !foreign.includes(version ?? '')),
        [],
        `1.${minor}, ${mode}: all else has a schema`,
      )
    }
  }
})

t.test('a field that does not exist would be found', { skip }, async (t) => {
  const text = renderFor({}).replace('enableServiceLinks: false', 'enableServiceLink: false')
  const { status, output } = validateText(text, 36, t.testdir())
  t.not(status, 0)
  t.match(output, 'enableServiceLink')
})

t.test('kube-score finds nothing critical', async (t) => {
  const ignored = [
    // A release's tag never moves: asking the registry at every start would only make starting depend on it.
    '--ignore-test=container-image-pull-policy',
    // A webhook that is throttled makes bindings wait.
    '--ignore-container-cpu-limit',
  ]
  for (const mode of modes) {
    const input = renderFor({ ...everything, certificates: { mode } })
    const args = ['score', '--kubernetes-version=v1.36', '--output-format=ci', ...ignored, '-']
    const { status, stdout } = spawnSync(tool('kube-score'), args, { input, encoding: 'utf8' })
    const lines = stdout.split('\n')
    t.strictSame(
      lines.filter((line) => line.startsWith('[CRITICAL]')),
      [],
      mode,
    )
    t.equal(status, 0, mode)
    t.ok(lines.filter((line) => line.startsWith('[OK]')).length > 10, `${mode}: it looked at something`)
  }
})
