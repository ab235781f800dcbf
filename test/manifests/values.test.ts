// What values of the chart may be, and where each setting of the programs ends up.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { settings as annotator } from '../../annotator/settings.ts'
import { settings as certs } from '../../certs/settings.ts'
import { readSettings, type SettingsTable } from '../../lib/settings.ts'
import { chart } from '../../manifests/render.ts'
import { settings as webhook } from '../../webhook/settings.ts'
import { find, objectsFor, renderFor } from './chart.ts'

const read = (file: string) => readFileSync(join(chart, file), 'utf8')
const schema = JSON.parse(read('values.schema.json'))
const tables: Record<string, SettingsTable> = { webhook, annotator, certs }
const selfManaged = { certificates: { mode: 'self-managed' } }

/** What the chart decides itself, or has a value of its own for. */
const elsewhere: Record<string, Record<string, string>> = {
  webhook: {
    kubeconfig: 'in the cluster the service account’s',
    probesPort: 'webhook.probesPort',
    port: 'webhook.port',
    tlsFolder: 'where the chart mounts it',
    clientCAFile: 'webhook.clientCA',
  },
  annotator: {
    kubeconfig: 'in the cluster the service account’s',
    probesPort: 'annotator.probesPort',
    dialect: 'dialect',
    namespace: 'the release’s',
    identity: 'the pod’s name',
  },
  certs: {
    kubeconfig: 'in the cluster the service account’s',
    probesPort: 'certs.probesPort',
    once: 'a Deployment has to go on',
    namespace: 'the release’s',
    service: 'a fixed name',
    configuration: 'a fixed name',
  },
}

/** A value other than the default for each setting, and how the program reads it. */
const examples: Record<string, Record<string, { value: unknown; read: unknown }>> = {
  webhook: {
    listenAddress: { value: '10.0.0.1', read: '10.0.0.1' },
    logLevel: { value: 'debug', read: 'debug' },
    lookupTimeout: { value: '900ms', read: 900 },
    maxLookups: { value: 10_000, read: 10_000 },
    bodyLimit: { value: 67_108_864, read: 67_108_864 },
    drainDelay: { value: '1.5s', read: 1_500 },
  },
  annotator: {
    listenAddress: { value: '::1', read: '::1' },
    logLevel: { value: 'warn', read: 'warn' },
    ingressController: { value: 'example.com/controller', read: 'example.com/controller' },
    ingressClassNames: { value: ['inner', 'outer'], read: ['inner', 'outer'] },
    ingressWithoutClass: { value: true, read: true },
    graceTime: { value: '10m', read: 600_000 },
    releaseTime: { value: '30s', read: 30_000 },
    loadBound: { value: 1.5, read: 1.5 },
    zoneShares: {
      value: { a: 2, b: 0.5 },
      read: new Map([
        ['a', 2],
        ['b', 0.5],
      ]),
    },
    proxyNamespaces: { value: ['ingress', 'edge'], read: ['ingress', 'edge'] },
    workers: { value: 8, read: 8 },
    answerSize: { value: 65_535, read: 65_535 },
    statsPort: { value: 9000, read: 9000 },
    dryRun: { value: true, read: true },
    effectInterval: { value: '5m', read: 300_000 },
    leaseDuration: { value: '30s', read: 30_000 },
    leaseRenewDeadline: { value: '20s', read: 20_000 },
    leaseRetryPeriod: { value: '4s', read: 4_000 },
  },
  certs: {
    listenAddress: { value: '10.0.0.1', read: '10.0.0.1' },
    logLevel: { value: 'error', read: 'error' },
    interval: { value: '5m', read: 300_000 },
    authorityLifetime: { value: '10000h', read: 36_000_000_000 },
    servingLifetime: { value: '1000h', read: 3_600_000_000 },
    overlap: { value: '1h', read: 3_600_000 },
  },
}

for (const [program, table] of Object.entries(tables)) {
  t.test(`every setting of ${program} can be reached`, async (t) => {
    const known = schema.properties[program].properties.settings.properties
    const given = examples[program] ?? {}
    const all = Object.keys(table).filter((name) => !(name in (elsewhere[program] ?? {})))
    t.strictSame(Object.keys(known).sort(), all.sort(), 'the schema has them')
    t.strictSame(Object.keys(given).sort(), all.sort(), 'and so have the examples here')
    for (const name of all) t.equal(known[name].description, table[name]?.help, name)

    const values = { [program]: { settings: mapValues(given, ({ value }) => value) }, ...selfManaged }
    const read = readSettings(table, environmentOf(program, values))
    for (const [name, example] of Object.entries(given)) t.strictSame(read[name], example.read, name)
  })

  t.test(`without values the programs’ defaults hold for ${program}; values.yaml repeats them`, async (t) => {
    const env = environmentOf(program, selfManaged)
    const defaults = readSettings(table, {})
    for (const name of Object.keys(examples[program] ?? {})) {
      if (name !== 'listenAddress') t.strictSame(readSettings(table, env)[name], defaults[name], name)
    }
    const shown = parse(commentedSettings(program))
    t.strictSame(Object.keys(shown).sort(), Object.keys(examples[program] ?? {}).sort())
    const described = ['listenAddress', 'ingressController', 'zoneShares']
    const texts = Object.entries(shown).filter(([name]) => !described.includes(name))
    for (const [name, value] of texts) {
      const text = Array.isArray(value) ? value.join(',') : String(value)
      t.strictSame(table[name]?.parse(text), defaults[name], `${program}.settings.${name}`)
    }
  })
}

t.test('wrong values are refused, and the key is named', async (t) => {
  const rows: { values: object; names: RegExp }[] = [
    { values: { imgae: {} }, names: /imgae/ },
    { values: { image: { tagg: 'x' } }, names: /image.*tagg/s },
    { values: { image: { digest: 'sha256:abc' } }, names: /image.*digest/s },
    { values: { dialect: 'nginx' }, names: /dialect/ },
    { values: { certificates: { mode: 'none' } }, names: /certificates.*mode/s },
    { values: { webhook: { replicas: 'two' } }, names: /webhook.*replicas/s },
    { values: { webhook: { port: 70_000 } }, names: /webhook.*port/s },
    { values: { webhook: { timeoutSeconds: 1 } }, names: /webhook.*timeoutSeconds/s },
    { values: { webhook: { settings: { lookupTimeout: '2 seconds' } } }, names: /settings.*lookupTimeout/s },
    { values: { webhook: { settings: { lookup: '2s' } } }, names: /settings.*lookup/s },
    { values: { annotator: { settings: { loadBound: 0.5 } } }, names: /settings.*loadBound/s },
    { values: { annotator: { settings: { zoneShares: { a: 0 } } } }, names: /zoneShares.*a/s },
    { values: { annotator: { settings: { zoneShares: { 'a=b': 1 } } } }, names: /zoneShares.*a=b/s },
    { values: { excludedNamespaces: ['Kube-System'] }, names: /excludedNamespaces/ },
    { values: { commonLabels: { 'app.kubernetes.io/name': 'x' } }, names: /commonLabels.*name/s },
    { values: { podDisruptionBudget: { minAvailable: 2 } }, names: /podDisruptionBudget/ },
    { values: { webhook: { podDisruptionBudget: { minAvailable: 2 } } }, names: /minAvailable/ },
    { values: { webhook: { hostNetwork: true } }, names: /webhook\.port is 10250, which is the kubelet's/ },
  ]
  for (const { values, names } of rows)
    t.throws(() => renderFor(values), { message: names }, JSON.stringify(values))
})

t.test('a parent chart’s global and enabled are accepted', async (t) => {
  t.doesNotThrow(() => renderFor({ global: { imageRegistry: 'x' }, enabled: true }))
})

t.test('admission policies: refused where the cluster has none, unless they are switched off', async (t) => {
  const old = '--kube-version=1.29.4'
  t.throws(() => renderFor({}, old), { message: /set admissionPolicies.enabled to false/ })
  const objects = objectsFor({ admissionPolicies: { enabled: false } }, old)
  t.notOk(objects.some(({ kind }) => kind.startsWith('ValidatingAdmission')))
  t.throws(() => renderFor({}, '--kube-version=1.27.0'), { message: /kubeVersion: >=1.28.0-0/ })
})

function environmentOf(program: string, values: object): Record<string, string> {
  const deployment = find(objectsFor(values), 'Deployment', `zonefirst-${program}`)
  const env: { name: string; value?: string }[] = deployment.spec.template.spec.containers[0].env
  t.equal(new Set(env.map(({ name }) => name)).size, env.length, 'no variable twice')
  return Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
}

/** The lines under `settings: {}` of a program in values.yaml. */
function commentedSettings(program: string): string {
  const section = read('values.yaml').split(new RegExp(`^${program}:$`, 'm'))[1] ?? ''
  const lines = section.split('\n')
  const from = lines.indexOf('  settings: {}') + 1
  const comments = lines.slice(
    from,
    lines.findIndex((line, at) => at >= from && !line.startsWith('  #')),
  )
  return comments.map((line) => line.replace(/^ {2}# {3}/, '')).join('\n')
}

function mapValues<From, To>(object: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}
