// Faults planted in a healthy cluster, one at a time: each is found by its own check, and by nothing else.
import t from 'tap'
import { findingsOf } from '../../cli/doctor/checks.ts'
import type { CheckName } from '../../cli/doctor/finding.ts'
import { healthyParts, inspectionOf, type Parts, rawPod, slice } from '../fixtures/inspection.ts'

const healthy = await healthyParts()
const findingsAfter = (plant: (parts: Parts) => void) => {
  const parts = structuredClone(healthy)
  plant(parts)
  return findingsOf(inspectionOf(parts))
}

t.test('a healthy cluster is called healthy', async (t) => {
  t.strictSame(
    findingsAfter(() => {}),
    [],
  )
})

/** The certificate ends after 60 days; the leader goes on. */
function passDays({ snapshot, lease }: Parts, days: number): void {
  snapshot.takenAt += days * 24 * 3_600_000
  lease.value.spec.renewTime = new Date(snapshot.takenAt - 2_000).toISOString()
}

function setProxyNamespaces({ snapshot }: Parts, value: string): void {
  const [container] = snapshot.annotator.value.spec.template.spec.containers
  container.env = [{ name: 'ZONEFIRST_PROXY_NAMESPACES', value }]
}

interface Row {
  fault: string
  plant: (parts: Parts) => void
  want: CheckName
  /** what the sentence has to name */
  problem?: RegExp
}

const rows: Row[] = [
  {
    fault: 'the webhook configuration was deleted',
    plant: (parts) => {
      parts.webhook = { missing: 'absent' }
    },
    want: 'webhook-configuration',
  },
  {
    fault: 'a webhook refuses pods when it is away',
    plant: ({ webhook }) => {
      webhook.value.webhooks[0].failurePolicy = 'Fail'
    },
    want: 'webhook-failure-policy',
    problem: /no pod starts/,
  },
  {
    fault: 'a webhook may keep pods waiting',
    plant: ({ webhook }) => {
      webhook.value.webhooks[1].timeoutSeconds = 10
    },
    want: 'webhook-failure-policy',
    problem: /10 s/,
  },
  {
    fault: 'no pod of the webhook is ready',
    plant: ({ snapshot }) => {
      snapshot.slices[1].endpoints[0].conditions.ready = false
    },
    want: 'webhook-endpoints',
  },
  {
    fault: 'the caBundle is empty',
    plant: ({ webhook }) => {
      delete webhook.value.webhooks[0].clientConfig.caBundle
    },
    want: 'webhook-certificate',
    problem: /has no caBundle/,
  },
  {
    fault: 'the caBundle is of another authority',
    plant: ({ webhook, servingCertificate }) => {
      for (const each of webhook.value.webhooks)
        each.clientConfig.caBundle = Buffer.from(servingCertificate.value).toString('base64')
    },
    want: 'webhook-certificate',
    problem: /does not trust/,
  },
  {
    fault: 'the certificate has ended',
    plant: (parts) => passDays(parts, 61),
    want: 'webhook-certificate',
    problem: /is not valid now/,
  },
  {
    fault: 'the certificate is about to end',
    plant: (parts) => passDays(parts, 59),
    want: 'webhook-certificate',
    problem: /should have been renewed/,
  },
  {
    fault: 'the serving certificate is gone',
    plant: (parts) => {
      parts.servingCertificate = { missing: 'absent' }
    },
    want: 'webhook-certificate',
  },
  {
    fault: 'the API server can’t reach the webhook',
    plant: (parts) => {
      parts.trial = { outcome: 'unstamped' }
    },
    want: 'webhook-answers',
  },
  {
    fault: 'there is no annotator',
    plant: ({ snapshot }) => {
      snapshot.annotator = { missing: 'absent' }
    },
    want: 'annotator',
  },
  {
    fault: 'no pod of the annotator is ready',
    plant: ({ snapshot }) => {
      snapshot.annotator.value.status.readyReplicas = 0
    },
    want: 'annotator',
    problem: /no pod that is ready/,
  },
  {
    fault: 'one replica of the annotator is not ready',
    plant: ({ snapshot }) => {
      snapshot.annotator.value.status.readyReplicas = 1
    },
    want: 'annotator',
    problem: /1 of 2/,
  },
  {
    fault: 'a setting of the annotator is wrong',
    plant: ({ snapshot }) => {
      snapshot.annotator.value.spec.template.spec.containers[0].env = [
        { name: 'ZONEFIRST_LOAD_BOUND', value: 'much' },
      ]
    },
    want: 'annotator',
    problem: /ZONEFIRST_LOAD_BOUND is "much"/,
  },
  {
    fault: 'nobody leads',
    plant: ({ lease }) => {
      lease.value.spec.holderIdentity = ''
    },
    want: 'leader',
    problem: /held by nobody/,
  },
  {
    fault: 'the leader is silent',
    plant: ({ lease, snapshot }) => {
      lease.value.spec.renewTime = new Date(snapshot.takenAt - 60_000).toISOString()
    },
    want: 'leader',
    problem: /60 s ago by zonefirst-annotator-1/,
  },
  {
    fault: 'a policy was deleted',
    plant: ({ policies }) => {
      policies.value.pop()
    },
    want: 'admission-policies',
  },
  {
    fault: 'a policy only warns',
    plant: ({ policyBindings }) => {
      policyBindings.value[0].spec.validationActions = ['Warn']
    },
    want: 'admission-policies',
    problem: /denies nothing/,
  },
  {
    fault: 'webhook and annotator are of two versions',
    plant: ({ systemPods }) => {
      systemPods.value[0].spec.containers[0].image = 'ghcr.io/zonefirst/zonefirst:0.2.0'
    },
    want: 'versions',
    problem: /zonefirst-webhook 0\.2\.0, zonefirst-annotator 0\.1\.0/,
  },
  {
    fault: 'a Node has no zone',
    plant: ({ snapshot }) => {
      snapshot.nodes.push({ metadata: { name: 'node-new', labels: {} } })
    },
    want: 'node-without-zone',
    problem: /have no zone label/,
  },
  {
    fault: 'ingress controllers live where the webhook is never shown a pod',
    plant: ({ webhook }) => {
      for (const { namespaceSelector } of webhook.value.webhooks)
        namespaceSelector.matchExpressions[0].values.push('haproxy-controller')
    },
    want: 'excluded-namespace',
    problem: /2 ingress controllers in it run without their zone/,
  },
  {
    fault: 'no ingress controller opted in',
    plant: (parts) => {
      parts.snapshot.pods.splice(2)
      parts.stats = []
    },
    want: 'no-proxies',
  },
  {
    fault: 'the namespace of ingress controllers is misspelt',
    plant: (parts) => setProxyNamespaces(parts, 'haproxy-controller,haproxy-contoller'),
    want: 'proxy-namespaces',
    problem: /names haproxy-contoller, which does not exist/,
  },
  {
    fault: 'a namespace has no ingress controllers any more',
    plant: (parts) => setProxyNamespaces(parts, 'haproxy-controller,shop'),
    want: 'proxy-namespaces',
    problem: /names shop, where no pod calls itself an ingress controller/,
  },
  {
    fault: 'a tenant’s pod calls itself an ingress controller',
    plant: ({ snapshot, proxyConfigMaps }) => {
      const [pod, configMap] = structuredClone([snapshot.pods[2], proxyConfigMaps[0]])
      Object.assign(pod.metadata, { namespace: 'tenant', uid: 'uid-tenant' })
      configMap.metadata.namespace = 'tenant'
      snapshot.pods.push(pod)
      proxyConfigMaps.push(configMap)
    },
    want: 'proxy-not-trusted',
    problem: /namespace is none of theirs/,
  },
  {
    fault: 'an ingress controller lacks ZONE',
    plant: ({ snapshot }) => {
      snapshot.pods[2].spec.containers[0].env.shift()
    },
    want: 'proxy-not-prepared',
    problem: /lacks the variable ZONE/,
  },
  {
    fault: 'an ingress controller lacks ZONE_RESOLVERS',
    plant: ({ snapshot }) => {
      snapshot.pods[2].spec.containers[0].env.pop()
    },
    want: 'proxy-not-prepared',
    problem: /ZONE_RESOLVERS/,
  },
  {
    fault: 'an ingress controller asks the Node’s DNS',
    plant: ({ snapshot }) => {
      snapshot.pods[3].spec.hostNetwork = true
    },
    want: 'proxy-node-dns',
  },
  {
    fault: 'an ingress controller was stamped after its start',
    plant: ({ snapshot }) => {
      const at = '2030-01-01T11:00:00Z'
      snapshot.pods[2].metadata.managedFields = [
        {
          manager: 'zonefirst-annotator',
          time: at,
          fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:zonefirst.io/zone-key': {} } } },
        },
      ]
      snapshot.pods[2].status.containerStatuses = [
        { name: 'controller', state: { running: { startedAt: '2030-01-01T10:00:00Z' } } },
      ]
    },
    want: 'proxy-stamped-late',
  },
  {
    fault: 'ZONE is the zone, not its key',
    plant: ({ snapshot }) => {
      const [variable] = snapshot.pods[2].spec.containers[0].env
      variable.valueFrom.fieldRef.fieldPath = "metadata.annotations['zonefirst.io/zone']"
    },
    want: 'zone-variable',
  },
  {
    fault: 'no ConfigMap has the resolvers section',
    plant: (parts) => {
      parts.proxyConfigMaps[0].data = { 'haproxy-aux.cfg': 'resolvers another\n' }
      parts.stats = undefined
    },
    want: 'resolvers-section',
  },
  {
    fault: 'the cluster doesn’t know ValidationRules',
    plant: ({ snapshot }) => {
      snapshot.validationRules = { missing: 'absent' }
    },
    want: 'validation-rules',
    problem: /unknown to the cluster/,
  },
  {
    fault: 'the ValidationRules object is gone',
    plant: ({ snapshot }) => {
      snapshot.validationRules = { value: [] }
    },
    want: 'validation-rules',
    problem: /is not there/,
  },
  {
    fault: 'the ValidationRules object was changed',
    plant: ({ snapshot }) => {
      snapshot.validationRules.value[0].spec.validation_rules.servers.template = 'server x 192.0.2.1:80'
    },
    want: 'validation-rules',
    problem: /is not the one of this version/,
  },
  {
    fault: 'the ingress controllers are not told of the object',
    plant: ({ snapshot }) => {
      for (const pod of snapshot.pods.slice(2)) pod.spec.containers[0].args = []
    },
    want: 'validation-rules-flag',
  },
  {
    fault: 'a pod has no stamp, and serves behind another Service',
    plant: ({ snapshot }) => {
      const pod = rawPod('bare-1', 'a', { annotations: {} })
      snapshot.pods.push({
        ...pod,
        metadata: { ...pod.metadata, labels: { app: 'bare', 'zonefirst.io/enabled': 'true' } },
      })
      const kept = {
        name: 'bare',
        namespace: 'shop',
        uid: 'uid-bare',
        labels: { 'zonefirst.io/enabled': 'false' },
      }
      snapshot.services.push({ metadata: kept, spec: { selector: { app: 'bare' } } })
    },
    want: 'pods-unstamped',
  },
  {
    fault: 'a pod’s stamp is not its Node’s zone',
    plant: ({ snapshot }) => {
      const proxy = snapshot.pods[2]
      proxy.metadata.annotations = { 'zonefirst.io/zone': 'b', 'zonefirst.io/zone-key': 'b' }
    },
    want: 'stamp-differs',
  },
  {
    fault: 'opted-in pods that no Service selects',
    plant: ({ snapshot }) => {
      const labels = { app: 'lonely', 'zonefirst.io/enabled': 'true', 'zonefirst.io/serves': 'a' }
      snapshot.pods.push(rawPod('lonely', 'a', { labels }))
    },
    want: 'pods-without-service',
  },
  {
    fault: 'a Service is refused',
    plant: ({ snapshot }) => {
      const labels = { app: 'other', 'zonefirst.io/enabled': 'true', 'zonefirst.io/serves': 'a' }
      snapshot.pods.push(rawPod('other', 'a', { labels }))
      const metadata = { name: 'other', namespace: 'shop', uid: 'uid-other' }
      const ports = [{ name: 'http', port: 80, targetPort: 8080 }]
      const spec = { selector: { app: 'other' }, ports, publishNotReadyAddresses: true }
      snapshot.services.push({ metadata, spec })
      snapshot.slices.push(slice('shop', 'other', ['other']))
      const route = structuredClone(snapshot.ingresses[0])
      route.metadata.name = 'other'
      route.spec.rules[0].http.paths[0].backend.service.name = 'other'
      snapshot.ingresses.push(route)
    },
    want: 'service-refused',
    problem: /PublishesNotReadyAddresses/,
  },
  {
    fault: 'a zonal Service was changed',
    plant: ({ snapshot }) => {
      snapshot.services[1].spec.selector = { app: 'other' }
    },
    want: 'service-unfinished',
  },
  {
    fault: 'a zonal Service is left over',
    plant: ({ snapshot }) => {
      const left = structuredClone(snapshot.services[1])
      left.metadata = { ...left.metadata, name: 'gone-in-a', ownerReferences: [] }
      snapshot.services.push(left)
    },
    want: 'orphaned-zonal-service',
  },
  {
    fault: 'an Ingress carries the annotation as well',
    plant: ({ snapshot }) => {
      snapshot.ingresses[0].metadata.annotations = { 'backend.zonefirst.io/servers': '{}' }
    },
    want: 'annotation-twice',
    problem: /only the annotator may write/,
  },
  {
    fault: 'answers of the DNS are cut off',
    plant: ({ snapshot, proxyConfigMaps }) => {
      proxyConfigMaps[0].data['haproxy-aux.cfg'] = 'resolvers zonefirst\n  parse-resolv-conf\n'
      const more = Array.from({ length: 60 }, (_, index) => rawPod(`web-${index + 3}`, index % 2 ? 'a' : 'b'))
      snapshot.pods.push(...more)
      snapshot.slices[0] = slice('shop', 'web', [
        'web-1',
        'web-2',
        ...more.map(({ metadata }) => metadata.name ?? ''),
      ])
      const { annotations } = snapshot.services[0].metadata
      const key = 'backend.zonefirst.io/servers'
      annotations[key] = annotations[key].replace('"slots":8', '"slots":128')
    },
    want: 'dns-answer-size',
    problem:
      /31 pods that serve zone [ab], and accepted_payload_size 512 has room for 2\d: answers are cut off/,
  },
  {
    fault: 'a HAProxy has no servers of the zone',
    plant: ({ stats }) => {
      stats[1].servers.shift()
      stats[1].servers[0].requests = 5_000
    },
    want: 'template-missing',
    problem: /proxy-b/,
  },
  {
    fault: 'the controller’s servers are normal ones beside ours',
    plant: ({ stats }) => {
      Object.assign(stats[0].servers[1], { isActive: true, isBackup: false })
    },
    want: 'active-beside-template',
  },
  {
    fault: 'the zone’s servers are down',
    plant: ({ stats }) => {
      stats[0].servers[0].status = 'MAINT (resolution)'
    },
    want: 'template-down',
  },
  {
    fault: 'most traffic comes to one zone',
    plant: ({ stats }) => {
      stats[1].servers[0].requests = 20_000
    },
    want: 'zone-shares',
    problem: /a has 20 % of the requests, not 50 %, b has 80 %/,
  },
]

t.test('each fault is found, and only it', async (t) => {
  for (const { fault, plant, want, problem } of rows) {
    const findings = findingsAfter(plant).filter(({ severity }) => severity !== 'note')
    t.strictSame([...new Set(findings.map(({ check }) => check))], [want], fault)
    if (problem) t.match(findings[0]?.problem, problem, fault)
    t.ok((findings[0]?.fix.length ?? 0) > 10, `${fault}: says what to do`)
  }
})

t.test('that any namespace is trusted with ingress controllers is a note, and says which do', async (t) => {
  const found = findingsAfter((parts) => setProxyNamespaces(parts, ''))
  t.match(found, [{ check: 'proxy-namespaces', severity: 'note', problem: /is not set/ }])
  t.equal(found.length, 1)
  t.match(found[0]?.fix, /set annotator\.settings\.proxyNamespaces to \[haproxy-controller\]$/)
})

t.test('what may not be read is a note', async (t) => {
  const findings = findingsAfter((parts) => {
    for (const part of ['webhook', 'policies', 'policyBindings', 'lease', 'servingCertificate']) {
      Object.assign(parts, { [part]: { missing: 'forbidden' } })
    }
    parts.trial = { outcome: 'impossible', why: 'forbidden' }
    Object.assign(parts.stats[0], { servers: [], failure: 'forbidden' })
  })
  t.strictSame([...new Set(findings.map(({ severity }) => severity))], ['note'])
  t.strictSame(
    findings.map(({ check }) => check),
    ['webhook-configuration', 'leader', 'admission-policies', 'statistics-unread'],
  )
})
