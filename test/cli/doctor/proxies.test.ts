import t from 'tap'
import { eachIsFoundAlone, type PlantedFault } from '../../fixtures/planted-faults.ts'

const rows: PlantedFault[] = [
  {
    fault: 'no ingress controller opted in',
    plant: (parts) => {
      parts.snapshot.pods.splice(2)
      parts.stats = []
    },
    want: 'no-proxies',
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
]

t.test('faults of the ingress controllers', async (t) => eachIsFoundAlone(t, rows))
