// What CoreDNS needs: its configuration, and the objects that clusters have for it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { V1ObjectMeta } from '@kubernetes/client-node'
import type { Kube } from '../../lib/kube.ts'
import { dnsAddress } from './network.ts'
import { until } from './until.ts'

const readyPort = 8181

export async function writeCorefile(folder: string, kubeconfig: string): Promise<string> {
  const file = join(folder, 'Corefile')
  const lines = [
    'cluster.local:53 in-addr.arpa:53 {',
    `  bind ${dnsAddress}`,
    '  errors',
    `  ready ${dnsAddress}:${readyPort}`,
    '  kubernetes cluster.local in-addr.arpa {',
    `    kubeconfig ${kubeconfig}`,
    '    pods insecure',
    '    ttl 5',
    '  }',
    '}',
    // no resolver beyond the cluster
    '.:53 {',
    `  bind ${dnsAddress}`,
    '  template ANY ANY {',
    '    rcode NXDOMAIN',
    '  }',
    '}',
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  return file
}

export async function isDNSReady(): Promise<boolean> {
  const answer = await fetch(`http://${dnsAddress}:${readyPort}/ready`, {
    signal: AbortSignal.timeout(2_000),
  })
  await answer.text()
  return answer.ok
}

/** Retried, since the namespace and the range of Service addresses come a moment after the API server. */
export async function createDNSObjects(kube: Kube): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const create = (path: string, body: { metadata: V1ObjectMeta } & Record<string, unknown>) =>
    until(`${body.metadata.name} is created`, () => kube.request({ method: 'POST', path, body }))
  const name = 'system:coredns'
  await Promise.all([
    create(`${rbac}/clusterroles`, {
      metadata: { name },
      rules: [
        { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    }),
    create(`${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: 'coredns', namespace: 'kube-system' }],
    }),
    create('/api/v1/namespaces/kube-system/services', {
      metadata: { name: 'kube-dns', labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' } },
      spec: {
        clusterIP: dnsAddress,
        selector: { 'k8s-app': 'kube-dns' },
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    }),
  ])
}
