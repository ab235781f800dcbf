// The controller's side: values for the two charts, a component for plain manifests. Every way has to end in the same
// labels, variables and resolvers section. The charts themselves are not part of this project: ZONEFIRST_INGRESS_CHARTS
// names a folder that holds them as kubernetes-ingress and haproxy-ingress; without it the keys that they knew count.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { enabledLabel, zoneKeyAnnotation } from '../../lib/names.ts'
import { bin, root } from '../cluster/tools.ts'
import { find, type Manifest, objectsIn, tool } from './chart.ts'

const folder = join(root, 'manifests/ingress-controller')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const charts = process.env.ZONEFIRST_INGRESS_CHARTS

const ways = [
  {
    chart: 'kubernetes-ingress',
    /** known by chart 1.52.1 */
    keys: [
      'auxiliaryConfig',
      'daemonset.useHostNetwork',
      'dnsPolicy',
      'extraArgs',
      'extraEnvs',
      'kind',
      'podLabels',
      'topologySpreadConstraints',
    ],
    values: 'haproxytech-values.yaml',
    hostNetworkValues: 'haproxytech-host-network-values.yaml',
    configMap: { key: 'haproxy-aux.cfg' },
    isRuleNamed: true,
  },
  {
    chart: 'haproxy-ingress',
    /** known by chart 0.17.0-alpha.2 */
    keys: [
      'config',
      'dnsPolicy',
      'extraEnvs',
      'hostNetwork',
      'kind',
      'podLabels',
      'topologySpreadConstraints',
    ],
    values: 'haproxy-ingress-values.yaml',
    hostNetworkValues: 'haproxy-ingress-host-network-values.yaml',
    configMap: { key: 'config-sections' },
    isRuleNamed: false,
  },
]

const ruleArgument = '--custom-validation-rules=haproxy-controller/zonefirst'
const section = withoutComments(read('haproxy-aux.cfg'))

for (const { chart, keys, values, hostNetworkValues, configMap, isRuleNamed } of ways) {
  t.test(`values for ${chart}: keys that the chart knows`, async (t) => {
    const ours = [values, hostNetworkValues].flatMap((file) => Object.entries(parse(read(file)).controller))
    const used = ours.map(([key, value]) =>
      key === 'daemonset' ? `daemonset.${Object.keys(value as object)}` : key,
    )
    t.strictSame([...new Set(used)].sort(), keys)
    const { controller } = parse(read(values))
    checkPod(t, { labels: controller.podLabels, env: controller.extraEnvs })
    t.equal(controller.auxiliaryConfig ?? controller.config[configMap.key], section)
  })

  const skip = !charts && 'ZONEFIRST_INGRESS_CHARTS names no folder with the charts'
  t.test(`${chart}, rendered by its own chart`, { skip }, async (t) => {
    const path = join(charts ?? '', chart)
    const known = parse(readFileSync(join(path, 'values.yaml'), 'utf8')).controller
    for (const key of keys) t.ok(key.split('.').reduce((at, name) => at?.[name], known) !== undefined, key)
    for (const isHostNetwork of [false, true]) {
      const files = [values, ...(isHostNetwork ? [hostNetworkValues] : [])]
      const flags = files.map((file) => `--values=${join(folder, file)}`)
      const command = ['template', 'haproxy', path, '--namespace=haproxy-controller', '--kube-version=1.36']
      const objects = objectsIn(execFileSync(tool('helm'), [...command, ...flags], { encoding: 'utf8' }))
      const kind = isHostNetwork ? 'DaemonSet' : 'Deployment'
      const workload = find(objects, kind, `haproxy-${chart}`)
      checkWorkload(t, workload, { isHostNetwork, isRuleNamed })
      const mounted = objects.find(({ kind, data }) => kind === 'ConfigMap' && configMap.key in (data ?? {}))
      t.equal(mounted?.data[configMap.key].trim(), section.trim(), 'the resolvers section')
      if (!isRuleNamed) continue
      const volumes = workload.spec.template.spec.volumes.map((volume: Manifest) => volume.configMap?.name)
      t.ok(volumes.includes(mounted?.metadata.name), 'is mounted')
    }
  })
}

for (const kind of ['Deployment', 'DaemonSet']) {
  t.test(`the kustomize component, on a ${kind} of the plain manifests`, async (t) => {
    for (const isHostNetwork of [false, true]) {
      const objects = await kustomize(t, kind, isHostNetwork)
      const workload = find(objects, kind, 'haproxy-kubernetes-ingress')
      checkWorkload(t, workload, { isHostNetwork, isRuleNamed: true })
      const { containers, volumes } = workload.spec.template.spec
      t.equal(containers[0].env.length, 3, 'its own variable stays')
      const generated = objects.find(
        ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('haproxy-aux'),
      )
      t.equal(volumes[0].configMap.name, generated?.metadata.name)
      t.equal(withoutComments(generated?.data['haproxy-aux.cfg']), section)
      t.match(containers[0].volumeMounts, [
        { name: volumes[0].name, mountPath: '/etc/haproxy/haproxy-aux.cfg' },
      ])
      const rules = find(objects, 'ValidationRules', 'zonefirst')
      t.strictSame(rules, parse(read('validation-rules.yaml')), 'untouched by kustomize')
    }
  })
}

t.test('every file here is part of a way that is tested', async (t) => {
  const kustomized = ['kustomization.yaml', 'patch-pod.yaml', 'patch-arguments.yaml', 'host-network']
  const shared = ['haproxy-aux.cfg', 'validation-rules.yaml', 'annotator-role.yaml']
  const ofCharts = ways.flatMap(({ values, hostNetworkValues }) => [values, hostNetworkValues])
  t.strictSame(readdirSync(folder).sort(), [...kustomized, ...shared, ...ofCharts].sort())
})

interface Expected {
  isHostNetwork: boolean
  isRuleNamed: boolean
}

function checkWorkload(t: Test, { spec }: Manifest, { isHostNetwork, isRuleNamed }: Expected): void {
  const { metadata, spec: pod } = spec.template
  const [container] = pod.containers
  checkPod(t, { labels: metadata.labels, env: container.env })
  t.equal(container.args.includes(ruleArgument), isRuleNamed)
  t.equal(pod.hostNetwork ?? false, isHostNetwork)
  t.equal(pod.dnsPolicy ?? 'ClusterFirst', isHostNetwork ? 'ClusterFirstWithHostNet' : 'ClusterFirst')
  for (const [key, value] of Object.entries(spec.selector.matchLabels)) t.equal(metadata.labels[key], value)
}

function checkPod(t: Test, { labels, env }: { labels: object; env: { name: string }[] }): void {
  t.match(labels, { [enabledLabel]: 'true', 'zonefirst.io/role': 'proxy' })
  const fieldPath = `metadata.annotations['${zoneKeyAnnotation}']`
  t.strictSame(
    env.filter(({ name }) => name.startsWith('ZONE')),
    [
      { name: 'ZONE', valueFrom: { fieldRef: { fieldPath } } },
      { name: 'ZONE_RESOLVERS', value: 'zonefirst' },
    ],
  )
}

/** What the plain manifests have that a patch could meet. */
async function kustomize(t: Test, kind: string, isHostNetwork: boolean): Promise<Manifest[]> {
  const work = t.testdir()
  const container = {
    name: 'haproxy-ingress',
    image: 'haproxytech/kubernetes-ingress',
    args: ['--configmap=haproxy-controller/haproxy-kubernetes-ingress'],
    env: [{ name: 'TZ', value: 'Etc/UTC' }],
  }
  const labels = { run: 'haproxy-ingress' }
  const workload = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'haproxy-kubernetes-ingress', namespace: 'haproxy-controller', labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  }
  const place = join(work, isHostNetwork ? 'host-network' : 'pod-network')
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'plain.json'), JSON.stringify(workload))
  const components = [folder, ...(isHostNetwork ? [join(folder, 'host-network')] : [])]
  const kustomization = {
    resources: ['plain.json'],
    components: components.map((path) => relative(place, path)),
  }
  await writeFile(join(place, 'kustomization.yaml'), JSON.stringify(kustomization))
  const kubectl = join(bin, 'kubectl')
  if (!existsSync(kubectl)) throw new Error('kubectl is not built: run `make tools`')
  return objectsIn(execFileSync(kubectl, ['kustomize', place], { encoding: 'utf8' }))
}

function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
}
