// What values do to the objects, and what all of them have.
import t from 'tap'
import { find, type Manifest, objectsFor } from './chart.ts'

const everything = {
  certificates: { mode: 'self-managed' },
  metrics: {
    podMonitor: { enabled: true, labels: { release: 'prometheus' } },
    serviceMonitor: { enabled: true },
    prometheusRule: { enabled: true },
    dashboard: { enabled: true },
  },
}
const webhookPod = (objects: Manifest[]) =>
  find(objects, 'Deployment', 'zonefirst-webhook').spec.template.spec

t.test('the image: tag, digest, login', async (t) => {
  const repository = 'registry.example/zonefirst'
  const digest = `sha256:${'0'.repeat(64)}`
  const rows = [
    { image: {}, want: /^ghcr\.io\/zonefirst\/zonefirst:\d+\.\d+\.\d+$/ },
    { image: { repository, tag: 'v9' }, want: /^registry\.example\/zonefirst:v9$/ },
    { image: { repository, tag: 'v9', digest }, want: new RegExp(`^registry.example/zonefirst@${digest}$`) },
  ]
  for (const { image, want } of rows) t.match(webhookPod(objectsFor({ image })).containers[0].image, want)
  const pullSecrets = [{ name: 'login' }]
  t.strictSame(webhookPod(objectsFor({ image: { pullSecrets } })).imagePullSecrets, pullSecrets)
})

t.test('labels for all objects and pods', async (t) => {
  const objects = objectsFor({ ...everything, commonLabels: { team: 'edge' }, namespace: { create: true } })
  for (const { kind, metadata, spec } of objects) {
    t.equal(metadata.labels?.team, 'edge', `${kind} ${metadata.name}`)
    t.equal(metadata.labels?.['app.kubernetes.io/part-of'], 'zonefirst', `${kind} ${metadata.name}`)
    if (kind === 'Deployment') t.equal(spec.template.metadata.labels.team, 'edge')
  }
})

t.test('the webhook on its nodes’ network', async (t) => {
  const values = {
    webhook: { hostNetwork: true, port: 10260, probesPort: 10261 },
    namespace: { create: true },
  }
  const objects = objectsFor(values)
  const { hostNetwork, dnsPolicy, containers } = webhookPod(objects)
  t.strictSame({ hostNetwork, dnsPolicy }, { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' })
  t.strictSame(
    containers[0].ports.map(({ containerPort }: { containerPort: number }) => containerPort),
    [10260, 10261],
  )
  t.match(containers[0].env, [
    { name: 'ZONEFIRST_LISTEN_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'ZONEFIRST_PROBES_PORT', value: '10261' },
    { name: 'ZONEFIRST_REVIEW_PORT', value: '10260' },
  ])
  t.match(find(objects, 'Namespace', 'zonefirst-system').metadata.labels, {
    'pod-security.kubernetes.io/enforce': 'privileged',
  })
  t.notOk(
    objects.some(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'zonefirst-webhook'),
    'a policy doesn’t hold for it',
  )
})

t.test('another namespace, more excluded ones', async (t) => {
  const objects = objectsFor({ excludedNamespaces: ['kube-system', 'edge'] }, '--namespace=zones')
  const { webhooks } = find(objects, 'MutatingWebhookConfiguration', 'zonefirst')
  for (const { namespaceSelector, clientConfig } of webhooks) {
    t.strictSame(namespaceSelector.matchExpressions[0].values, ['kube-system', 'edge', 'zones'])
    t.equal(clientConfig.service.namespace, 'zones')
  }
  t.notMatch(JSON.stringify(objects), 'zonefirst-system')
})

t.test('an issuer of yours signs instead of a CA made here', async (t) => {
  const issuerRef = { name: 'corporate', kind: 'ClusterIssuer' }
  const objects = objectsFor({ certificates: { certManager: { issuerRef } } })
  const ours = objects.filter(({ apiVersion }) => apiVersion.startsWith('cert-manager.io/'))
  t.strictSame(
    ours.map(({ spec }) => spec.issuerRef),
    [issuerRef],
  )
})

t.test('the authority of the API server’s client certificate', async (t) => {
  const objects = objectsFor({ webhook: { clientCA: { secretName: 'api-ca', key: 'root.pem' } } })
  const { volumes, containers } = webhookPod(objects)
  const volume = volumes.find(({ name }: { name: string }) => name === 'client-ca')
  t.strictSame(volume.secret, { secretName: 'api-ca', items: [{ key: 'root.pem', path: 'ca.crt' }] })
  const mount = containers[0].volumeMounts.find(({ name }: { name: string }) => name === 'client-ca')
  const variable = containers[0].env.find(({ name }: { name: string }) => name === 'ZONEFIRST_CLIENT_CA_FILE')
  t.equal(variable.value, `${mount.mountPath}/ca.crt`)
})

t.test('where pods go, and how many', async (t) => {
  const common = {
    replicas: 3,
    nodeSelector: { pool: 'infra' },
    tolerations: [{ operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [{ topologyKey: 'rack', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
    podDisruptionBudget: { maxUnavailable: '50%' },
    extraEnv: [{ name: 'EXTRA', value: '1' }],
  }
  const values = {
    ...everything,
    webhook: common,
    annotator: common,
    certs: common,
    priorityClassName: 'high',
  }
  const objects = objectsFor(values)
  for (const name of ['zonefirst-webhook', 'zonefirst-annotator', 'zonefirst-certs']) {
    const { replicas, template } = find(objects, 'Deployment', name).spec
    const { nodeSelector, tolerations, affinity, topologySpreadConstraints } = common
    t.match(template.spec, { nodeSelector, tolerations, affinity, priorityClassName: 'high' }, name)
    t.strictSame(template.spec.topologySpreadConstraints, topologySpreadConstraints, name)
    t.equal(replicas, 3, name)
    t.strictSame(template.spec.containers[0].env.at(-1), common.extraEnv[0], name)
    t.equal(find(objects, 'PodDisruptionBudget', name).spec.maxUnavailable, '50%', name)
  }
})

t.test('metrics: off by default; where they are on, each selects what there is', async (t) => {
  const kinds = ['PodMonitor', 'ServiceMonitor', 'PrometheusRule']
  const plain = objectsFor({})
  t.notOk(plain.some(({ kind, metadata }) => kinds.includes(kind) || metadata.name === 'zonefirst-dashboard'))
  const objects = objectsFor(everything)
  const service = find(objects, 'Service', 'zonefirst-metrics')
  const pods = objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template)
  t.equal(pods.length, 3)
  const podMonitor = find(objects, 'PodMonitor', 'zonefirst')
  t.equal(podMonitor.metadata.labels?.release, 'prometheus')
  for (const { metadata, spec } of pods) {
    t.match(metadata.labels, podMonitor.spec.selector.matchLabels)
    t.match(metadata.labels, service.spec.selector)
    t.ok(
      spec.containers[0].ports.some(
        ({ name }: { name: string }) => name === podMonitor.spec.podMetricsEndpoints[0].port,
      ),
    )
  }
  const serviceMonitor = find(objects, 'ServiceMonitor', 'zonefirst')
  t.match(service.metadata.labels, serviceMonitor.spec.selector.matchLabels)
  t.equal(serviceMonitor.spec.endpoints[0].port, service.spec.ports[0].name)
  t.equal(find(objects, 'PrometheusRule', 'zonefirst').spec.groups[0].name, 'zonefirst')
  const dashboard = find(objects, 'ConfigMap', 'zonefirst-dashboard')
  t.ok(JSON.parse(dashboard.data['zonefirst.json']).panels.length > 0)
})

t.test('who may reach the metrics', async (t) => {
  const peers = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }]
  const objects = objectsFor({ networkPolicy: { metricsFrom: peers } })
  const [reviews, probes] = find(objects, 'NetworkPolicy', 'zonefirst-webhook').spec.ingress
  t.strictSame(reviews, { ports: [{ port: 'review' }] }, 'the API server has no label')
  t.strictSame(probes, { ports: [{ port: 'probes' }], from: peers })
  t.notOk(objectsFor({ networkPolicy: { enabled: false } }).some(({ kind }) => kind === 'NetworkPolicy'))
})
