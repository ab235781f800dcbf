// What `doctor` looks at beyond a snapshot: the webhook and its certificate, policies, the annotator's Lease, what the
// ingress controllers were given, and what their HAProxies say. A part that may not be read is known to be so.
import type {
  V1ConfigMap,
  V1Lease,
  V1MutatingWebhookConfiguration,
  V1Pod,
  V1Secret,
  V1ValidatingAdmissionPolicyBinding,
} from '@kubernetes/client-node'
import { leaseName } from '../annotator/leader/lease-store.ts'
import { ApiError, type Kube, type KubeObject } from '../lib/kube.ts'
import { enabledLabel, zoneAnnotation } from '../lib/names.ts'
import { zoneOf } from '../lib/zone.ts'
import type { Installation } from './installation.ts'
import { readOwnRules } from './own-rules.ts'
import { proxiesOf, readyProxiesOf } from './proxies.ts'
import { type ProxyStats, readProxyStats, type StatsOptions } from './proxy-stats.ts'
import { type Found, find, list, orMissing } from './reading.ts'
import { type ServiceState, serviceStates } from './service-states.ts'
import type { Pod, Snapshot, ValidationRules } from './snapshot.ts'

export type ConfigMap = V1ConfigMap & KubeObject
export type WebhookConfiguration = V1MutatingWebhookConfiguration & KubeObject
export type PolicyBinding = V1ValidatingAdmissionPolicyBinding & KubeObject

export interface Inspection {
  snapshot: Snapshot
  installation: Installation
  states: readonly ServiceState[]
  namespaces: Found<readonly KubeObject[]>
  webhook: Found<WebhookConfiguration>
  /** the webhook's serving certificate, PEM */
  servingCertificate: Found<string>
  /** what became of an opted-in pod that was created on a node, as a trial alone */
  trial: Trial
  policies: Found<readonly string[]>
  policyBindings: Found<readonly PolicyBinding[]>
  lease: Found<V1Lease>
  /** zonefirst's own */
  systemPods: Found<readonly Pod[]>
  /** that proxies mount; a name that can't be read is missing */
  proxyConfigMaps: readonly ConfigMap[]
  /** what this version of zonefirst wants the controllers to be given */
  ownRules: ValidationRules
  /** undefined where nobody asked for them */
  stats: readonly ProxyStats[] | undefined
}

export type Trial = { outcome: 'stamped' | 'unstamped' } | { outcome: 'impossible'; why: string }

export const webhookConfigurationName = 'zonefirst'
const servingSecretName = 'zonefirst-webhook-tls'

export async function inspect(
  kube: Kube,
  { snapshot, installation }: { snapshot: Snapshot; installation: Installation },
  { stats, say }: { stats: StatsOptions | undefined; say: (what: string) => void },
): Promise<Inspection> {
  const { systemNamespace } = snapshot
  const admission = '/apis/admissionregistration.k8s.io/v1'
  say('reading the installation')
  const proxies = proxiesOf(snapshot)
  const [namespaces, webhook, secret, policies, policyBindings, lease, systemPods, proxyConfigMaps, trial] =
    await Promise.all([
      orMissing(list<KubeObject>(kube, '/api/v1/namespaces')),
      find<WebhookConfiguration>(
        kube,
        `${admission}/mutatingwebhookconfigurations/${webhookConfigurationName}`,
      ),
      find<V1Secret>(kube, `/api/v1/namespaces/${systemNamespace}/secrets/${servingSecretName}`),
      orMissing(list<KubeObject>(kube, `${admission}/validatingadmissionpolicies`)),
      orMissing(list<PolicyBinding>(kube, `${admission}/validatingadmissionpolicybindings`)),
      find<V1Lease>(kube, `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases/${leaseName}`),
      orMissing(list<Pod>(kube, `/api/v1/namespaces/${systemNamespace}/pods`)),
      readMounted(kube, proxies),
      tryPod(kube, snapshot),
    ])
  let counters: ProxyStats[] | undefined
  if (stats !== undefined) {
    const ready = readyProxiesOf(snapshot)
    if (ready.length > 0) say(`reading the statistics of ${ready.length} HAProxies`)
    counters = await readProxyStats(kube, ready, stats)
  }
  return {
    snapshot,
    installation,
    states: serviceStates(snapshot, installation),
    namespaces,
    webhook,
    servingCertificate: mapFound(secret, certificateIn),
    trial,
    policies: mapFound(policies, (found) => found.map(({ metadata }) => metadata.name ?? '')),
    policyBindings,
    lease,
    systemPods,
    proxyConfigMaps,
    ownRules: await readOwnRules(),
    stats: counters,
  }
}

async function readMounted(kube: Kube, proxies: readonly Pod[]): Promise<ConfigMap[]> {
  const names = new Set(
    proxies.flatMap(({ metadata, spec }) =>
      (spec?.volumes ?? []).flatMap((volume) => {
        const projected = (volume.projected?.sources ?? []).map(({ configMap }) => configMap?.name)
        return [volume.configMap?.name, ...projected]
          .filter((name) => name !== undefined)
          .map((name) => `${metadata.namespace}/${name}`)
      }),
    ),
  )
  const found = await Promise.all(
    [...names].map((each) => {
      const [namespace, name] = each.split('/')
      return find<ConfigMap>(kube, `/api/v1/namespaces/${namespace}/configmaps/${name}`)
    }),
  )
  return found.flatMap((each) => ('value' in each ? [each.value] : []))
}

/** The API server shows the webhook a pod that is never stored: whether it comes back stamped tells that all works. */
async function tryPod(kube: Kube, { nodes }: Snapshot): Promise<Trial> {
  const nodeName = nodes.find(({ metadata }) => zoneOf(metadata.labels))?.metadata.name
  if (nodeName === undefined) return { outcome: 'impossible', why: 'no Node has a zone' }
  const pod: V1Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'zonefirst-doctor-', labels: { [enabledLabel]: 'true' } },
    spec: {
      nodeName,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'never-run',
          image: 'never-run',
          resources: { requests: { cpu: '1m', memory: '1Mi' }, limits: { cpu: '1m', memory: '1Mi' } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  }
  try {
    const made = await kube.request<V1Pod>({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods',
      query: { dryRun: 'All' },
      body: pod,
    })
    const zone = made.metadata?.annotations?.[zoneAnnotation]
    return { outcome: zone === undefined ? 'unstamped' : 'stamped' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { outcome: 'impossible', why: error.message }
  }
}

function certificateIn({ data }: V1Secret): string {
  return Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString()
}

function mapFound<T, U>(found: Found<T>, change: (value: T) => U): Found<U> {
  return 'value' in found ? { value: change(found.value) } : found
}
