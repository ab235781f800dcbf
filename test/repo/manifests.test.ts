// Where manifests repeat what the code says, the two are the same.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { leaseName } from '../../annotator/leader/lease-store.ts'
import { settings as annotatorSettings } from '../../annotator/settings.ts'
import { zonesConfigMapName } from '../../annotator/write/zones-config-map.ts'
import { settings as certsSettings } from '../../certs/settings.ts'
import { enabledLabel, mirrorPodAnnotation } from '../../lib/names.ts'
import { readSettings } from '../../lib/settings.ts'
import { settings as webhookSettings } from '../../webhook/settings.ts'
import { type Manifest, objectsIn } from '../manifests/chart.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const manifests = (file: string) => objectsIn(read(file))
const [withCertManager, selfManaged] = [
  manifests('manifests/install.yaml'),
  manifests('manifests/install-self-managed.yaml'),
]
const find = (kind: string, name: string, objects = selfManaged) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name) as Manifest

interface Named {
  name: string
}
const webhook = readSettings(webhookSettings, {})
const annotator = readSettings(annotatorSettings, {})
const certs = readSettings(certsSettings, {})

t.test('chart and programs are of one version', async (t) => {
  const { version, appVersion } = parse(read('manifests/chart/Chart.yaml'))
  const own = JSON.parse(read('package.json')).version
  t.strictSame([version, appVersion], [own, own])
})

t.test('the webhook configuration', async (t) => {
  const { webhooks } = find('MutatingWebhookConfiguration', certs.configuration)
  for (const each of webhooks) {
    t.equal(each.failurePolicy, 'Ignore', each.name)
    t.equal(each.sideEffects, 'None', each.name)
    t.equal(each.matchPolicy, 'Equivalent', each.name)
    t.equal(each.timeoutSeconds, 2, `${each.name}: so long may a binding wait`)
    t.equal(each.rules.length, 1, each.name)
    t.strictSame(each.rules[0].operations, ['CREATE'], each.name)
    t.ok(webhook.lookupTimeout < each.timeoutSeconds * 1_000, `${each.name}: the webhook gives up first`)
    t.notOk('caBundle' in each.clientConfig, `${each.name}: applying it again must not wipe the bundle`)
    t.match(each.clientConfig.service, {
      name: certs.service,
      namespace: certs.namespace,
      path: '/mutate',
      port: 443,
    })
    t.strictSame(each.namespaceSelector.matchExpressions, [
      { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', certs.namespace] },
    ])
  }
  const [bindings, pods] = webhooks
  t.strictSame(bindings.rules[0].resources, ['bindings', 'pods/binding'])
  t.notOk('objectSelector' in bindings, 'a Binding has no pod labels: it would never be sent')
  t.strictSame(pods.objectSelector, { matchLabels: { [enabledLabel]: 'true' } })
  t.match(pods.matchConditions[1].expression, `'${mirrorPodAnnotation}'`)
})

t.test('the webhook’s ports, folder and Secret', async (t) => {
  const deployment = find('Deployment', certs.service)
  const { containers, volumes, enableServiceLinks } = deployment.spec.template.spec
  const [container] = containers
  t.strictSame(container.ports, [
    { name: 'review', containerPort: webhook.port },
    { name: 'probes', containerPort: webhook.probesPort },
  ])
  t.equal(find('Service', certs.service).spec.ports[0].targetPort, 'review')
  t.equal(container.volumeMounts[0].mountPath, webhook.tlsFolder)
  t.equal(enableServiceLinks, false, 'variables of Services could be taken for settings')
  t.equal(volumes[0].secret.secretName, `${certs.service}-tls`)
})

t.test('the annotator’s replicas, of which one leads', async (t) => {
  const name = 'zonefirst-annotator'
  const { replicas, strategy, template } = find('Deployment', name).spec
  t.equal(replicas, 2)
  t.strictSame(strategy, { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
  t.equal(find('PodDisruptionBudget', name).spec.maxUnavailable, 1)
  const { topologySpreadConstraints, containers } = template.spec
  t.strictSame(
    topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
    ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
  )
  const identity = containers[0].env.find(({ name }: Named) => name === annotatorSettings.identity.env)
  t.equal(identity.valueFrom.fieldRef.fieldPath, 'metadata.name')

  const role = find('Role', name)
  t.equal(role.metadata.namespace, annotator.namespace)
  const leases = role.rules.filter(({ resources }: { resources: string[] }) => resources.includes('leases'))
  t.strictSame(leases.at(-1).resourceNames, [leaseName])
  t.strictSame(role.rules[1].resourceNames, [zonesConfigMapName])
})

t.test(
  'both ways of certificates make the Secret that the webhook mounts, for its Service’s names',
  async (t) => {
    const serving = find('Certificate', `${certs.service}-tls`, withCertManager)
    t.equal(serving.spec.secretName, `${certs.service}-tls`)
    const host = `${certs.service}.${certs.namespace}.svc`
    t.strictSame(serving.spec.dnsNames, [host, `${host}.cluster.local`])
    const [own, others] = [withCertManager, selfManaged].map((objects) =>
      find('MutatingWebhookConfiguration', certs.configuration, objects),
    )
    t.equal(
      own?.metadata.annotations?.['cert-manager.io/inject-ca-from'],
      `${certs.namespace}/${serving.metadata.name}`,
    )
    t.notOk(others?.metadata.annotations, 'a CA injector has to leave the self-managed one alone')

    const role = find('Role', 'zonefirst-certs')
    t.strictSame(role.rules[1].resourceNames, [`${certs.service}-ca`, `${certs.service}-tls`])
    t.strictSame(find('ClusterRole', 'zonefirst-certs').rules[0].resourceNames, [certs.configuration])
  },
)

t.test('all of it fits into a namespace with the restricted Pod Security level', async (t) => {
  const { labels } = find('Namespace', certs.namespace).metadata
  t.match(labels, { 'pod-security.kubernetes.io/enforce': 'restricted' })
  const deployments = selfManaged.filter(({ kind }) => kind === 'Deployment')
  t.equal(deployments.length, 3)
  for (const manifest of deployments) {
    const { securityContext, containers, enableServiceLinks } = manifest.spec.template.spec
    t.equal(enableServiceLinks, false, 'variables of Services could be taken for settings')
    t.match(
      securityContext,
      { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      manifest.metadata.name,
    )
    t.match(containers[0].securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  }
})
