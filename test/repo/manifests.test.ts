// Where manifests repeat what the code says, the two are the same.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { leaseName } from '../../annotator/lease-store.ts'
import { settings as annotatorSettings } from '../../annotator/settings.ts'
import { zonesConfigMapName } from '../../annotator/zones-config-map.ts'
import { settings as certsSettings } from '../../certs/settings.ts'
import { enabledLabel, mirrorPodAnnotation } from '../../lib/names.ts'
import { readSettings } from '../../lib/settings.ts'
import { settings as webhookSettings } from '../../webhook/settings.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
interface Manifest {
  kind: string
  metadata: {
    name: string
    namespace?: string
    annotations?: Record<string, string>
    labels?: Record<string, string>
  }
  // whatever a kind holds: tests that look into it compare it with what they expect
  // biome-ignore lint/suspicious/noExplicitAny: see above
  [field: string]: any
}
const manifests = (file: string) =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest)
const find = (file: string, kind: string) =>
  manifests(file).find((manifest) => manifest.kind === kind) as Manifest

interface Named {
  name: string
}
const webhook = readSettings(webhookSettings, {})
const annotator = readSettings(annotatorSettings, {})
const certs = readSettings(certsSettings, {})

t.test('kustomization.yaml lists every file, sorted', async (t) => {
  const files = readdirSync(join(root, 'manifests')).filter((name) => name.endsWith('.yaml'))
  const want = files.filter((name) => name !== 'kustomization.yaml').sort()
  t.strictSame(parse(read('manifests/kustomization.yaml')).resources, want)
})

t.test('the webhook configuration', async (t) => {
  const { webhooks, metadata } = find('manifests/webhook-configuration.yaml', 'MutatingWebhookConfiguration')
  t.equal(metadata.name, certs.configuration)
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
  const file = 'manifests/webhook.yaml'
  const { containers, volumes, enableServiceLinks } = find(file, 'Deployment').spec.template.spec
  const [container] = containers
  t.strictSame(container.ports, [
    { name: 'review', containerPort: webhook.port },
    { name: 'probes', containerPort: webhook.probesPort },
  ])
  t.equal(find(file, 'Service').spec.ports[0].targetPort, 'review')
  t.equal(container.volumeMounts[0].mountPath, webhook.tlsFolder)
  t.equal(enableServiceLinks, false, 'variables of Services could be taken for settings')
  t.equal(volumes[0].secret.secretName, `${certs.service}-tls`)
  t.equal(find('certs/self-managed.yaml', 'Deployment').spec.template.spec.enableServiceLinks, false)
})

t.test('the annotator’s replicas, of which one leads', async (t) => {
  const file = 'manifests/annotator.yaml'
  const { replicas, strategy, template } = find(file, 'Deployment').spec
  t.equal(replicas, 2)
  t.strictSame(strategy, { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
  t.equal(find(file, 'PodDisruptionBudget').spec.maxUnavailable, 1)
  const { topologySpreadConstraints, containers } = template.spec
  t.strictSame(
    topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
    ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
  )
  const identity = containers[0].env.find(({ name }: Named) => name === annotatorSettings.identity.env)
  t.equal(identity.valueFrom.fieldRef.fieldPath, 'metadata.name')

  const role = find(file, 'Role')
  t.equal(role.metadata.namespace, annotator.namespace)
  const leases = role.rules.filter(({ resources }: { resources: string[] }) => resources.includes('leases'))
  t.strictSame(leases.at(-1).resourceNames, [leaseName])
  t.strictSame(find(file, 'Role').rules[1].resourceNames, [zonesConfigMapName])
})

t.test(
  'both ways of certificates make the Secret that the webhook mounts, for its Service’s names',
  async (t) => {
    const serving = manifests('certs/cert-manager.yaml').find(
      ({ kind, metadata }) => kind === 'Certificate' && metadata.name === `${certs.service}-tls`,
    )
    t.equal(serving?.spec.secretName, `${certs.service}-tls`)
    const host = `${certs.service}.${certs.namespace}.svc`
    t.strictSame(serving?.spec.dnsNames, [host, `${host}.cluster.local`])
    const { metadata } = find('manifests/webhook-configuration.yaml', 'MutatingWebhookConfiguration') as {
      metadata: Manifest['metadata'] & { annotations: Record<string, string> }
    }
    t.equal(
      metadata.annotations?.['cert-manager.io/inject-ca-from'],
      `${certs.namespace}/${serving?.metadata.name}`,
    )

    const role = find('certs/self-managed.yaml', 'Role')
    t.strictSame(role.rules[1].resourceNames, [`${certs.service}-ca`, `${certs.service}-tls`])
    t.strictSame(find('certs/self-managed.yaml', 'ClusterRole').rules[0].resourceNames, [certs.configuration])
  },
)

t.test('all of it fits into a namespace with the restricted Pod Security level', async (t) => {
  const namespace = find('manifests/namespace.yaml', 'Namespace') as Manifest & {
    metadata: { labels: object }
  }
  t.match(namespace.metadata.labels ?? {}, { 'pod-security.kubernetes.io/enforce': 'restricted' })
  const files = ['manifests/webhook.yaml', 'manifests/annotator.yaml', 'certs/self-managed.yaml']
  for (const manifest of files.flatMap(manifests)) {
    if (manifest.kind !== 'Deployment') continue
    const { securityContext, containers } = manifest.spec.template.spec
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
