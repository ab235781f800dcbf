// What tests of certificates look at and do: Secrets as they change, the caBundle, what is served, cert-manager's objects.
import { once } from 'node:events'
import tls from 'node:tls'
import type { V1MutatingWebhookConfiguration, V1Secret } from '@kubernetes/client-node'
import { Informer } from '../../lib/informer.ts'
import { type CertManager, startCertManager } from '../cluster/cert-manager.ts'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import { createShop, untilServing, webhookPods } from './webhook-cluster.ts'
import { systemNamespace } from './zonefirst.ts'

const configurationPath = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/zonefirst'

/** zonefirst with the certificates of a real cert-manager. */
export async function startCertManagerCluster(): Promise<{ cluster: Cluster; certManager: CertManager }> {
  const cluster = await startCluster({ zones: ['a', 'b'] })
  const certManager = await startCertManager(cluster)
  await cluster.kubectl('apply', '-k', 'manifests')
  await withoutAnnotator(cluster)
  const wait = ['wait', '--for=condition=Ready', '--timeout=60s', 'certificates.cert-manager.io', '--all']
  await cluster.kubectl('-n', systemNamespace, ...wait)
  await untilServing(cluster)
  await createShop(cluster)
  return { cluster, certManager }
}

/** It would stamp what the webhook missed. */
export async function withoutAnnotator(cluster: Cluster): Promise<void> {
  await cluster.kubectl('-n', systemNamespace, 'scale', 'deployment/zonefirst-annotator', '--replicas=0')
}

/** Changes spec fields of one of cert-manager's Certificates; most changes have it issued again. */
export async function changeCertificate(cluster: Cluster, name: string, spec: object): Promise<void> {
  const patch = ['--type=merge', '-p', JSON.stringify({ spec })]
  await cluster.kubectl('-n', systemNamespace, 'patch', 'certificates.cert-manager.io', name, ...patch)
}

export interface SecretHistory {
  /** Every certificate that the Secret has held since, the present one first; never twice in a row. */
  readonly certs: string[]
  stop(): void
}

export async function watchSecret({ kube }: Cluster, name: string): Promise<SecretHistory> {
  const certs: string[] = []
  const informer = new Informer<string>({
    kube,
    path: `/api/v1/namespaces/${systemNamespace}/secrets`,
    query: { fieldSelector: `metadata.name=${name}` },
    project: (object) => textOf(object as V1Secret, 'tls.crt'),
    onChange: (cert) => cert !== undefined && cert !== certs.at(-1) && void certs.push(cert),
  })
  informer.start()
  await informer.synced()
  return { certs, stop: () => informer.stop() }
}

export async function readSecret({ kube }: Cluster, name: string): Promise<V1Secret> {
  return kube.request({ method: 'GET', path: `/api/v1/namespaces/${systemNamespace}/secrets/${name}` })
}

export function textOf({ data }: V1Secret, key: string): string {
  return Buffer.from(data?.[key] ?? '', 'base64').toString()
}

/** The caBundle of each webhook of the configuration. */
export async function bundlesOf({ kube }: Cluster): Promise<string[]> {
  const { webhooks } = await kube.request<V1MutatingWebhookConfiguration>({
    method: 'GET',
    path: configurationPath,
  })
  return (webhooks ?? []).map(({ clientConfig }) =>
    Buffer.from(clientConfig.caBundle ?? '', 'base64').toString(),
  )
}

/** The certificate that each replica shows to a new connection. */
export async function servedCertificates(cluster: Cluster): Promise<string[]> {
  const pods = await webhookPods(cluster)
  return Promise.all(pods.map(({ status }) => servedBy(status?.podIP ?? '')))
}

async function servedBy(host: string): Promise<string> {
  const socket = tls.connect({ host, port: 10250, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerX509Certificate()?.toString() ?? ''
  } finally {
    socket.destroy()
  }
}
