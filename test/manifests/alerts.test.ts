// Alerts and dashboard: made of metrics that the programs have, and, with Prometheus's promtool,
// firing when alerts.yaml beside this says so.
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { handlingOf, type Reason } from '../../annotator/plan/reasons.ts'
import { chart } from '../../manifests/render.ts'
import { findPromtool, withoutPromtool } from '../cluster/promtool.ts'
import { root } from '../cluster/tools.ts'

const alertsFile = join(chart, 'files/alerts.yaml')
const alerts = readFileSync(alertsFile, 'utf8')
const dashboard = readFileSync(join(chart, 'files/dashboard.json'), 'utf8')
const rules: { alert: string; expr: string }[] = parse(alerts).groups[0].rules
const tests = join(import.meta.dirname, 'alerts.yaml')

t.test('every metric is one that a program has', async (t) => {
  const sources = globSync('{annotator,webhook,certs,lib}/*.ts', { cwd: root })
  const declared = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/name: '(zonefirst_\w+)'/g)].map((match) => match[1]),
  )
  t.ok(declared.length > 10)
  const used = [...rules.map(({ expr }) => expr), dashboard].flatMap(
    (text) => text.match(/zonefirst_\w+/g) ?? [],
  )
  for (const name of new Set(used)) t.ok(declared.includes(name.replace(/_(bucket|count)$/, '')), name)
})

t.test(
  'reasons that the alert on refused Services leaves out are those that nobody is told of',
  async (t) => {
    const { expr } = rules.find(({ alert }) => alert === 'ZonefirstServiceRefused') ?? { expr: '' }
    const [routed, ...reasons] = /outcome!~"([\w|]+)"/.exec(expr)?.[1]?.split('|') ?? []
    t.equal(routed, 'Routed')
    t.ok(reasons.length > 0)
    for (const reason of reasons) t.ok(handlingOf(reason as Reason).silent, reason)
  },
)

t.test('every alert has a test', async (t) => {
  const text = readFileSync(tests, 'utf8')
  for (const { alert } of rules) t.match(text, `alertname: ${alert}\n`, alert)
})

const promtool = findPromtool(process.env)
t.test('each fires when it should', { skip: !promtool && withoutPromtool }, async (t) => {
  const folder = t.testdir()
  copyFileSync(alertsFile, join(folder, 'alerts.yaml'))
  copyFileSync(tests, join(folder, 'tests.yaml'))
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const
  t.doesNotThrow(() => execFileSync(promtool ?? '', ['check', 'rules', 'alerts.yaml'], options))
  t.doesNotThrow(() => execFileSync(promtool ?? '', ['test', 'rules', 'tests.yaml'], options))
})
