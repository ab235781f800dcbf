// The caBundle of the MutatingWebhookConfiguration: read, and written by server-side apply, that field alone.
import type { V1MutatingWebhookConfiguration } from '@kubernetes/client-node'
import { undefinedWhere } from '../lib/expected.ts'
import { applyPatch, isFieldConflict, isNotFound, type Kube } from '../lib/kube.ts'
import { certsFieldManager } from '../lib/names.ts'

export interface ConfigurationReference {
  kube: Kube
  name: string
}

/** Undefined where there is none: then nobody calls the webhook. */
export async function readConfiguration({
  kube,
  name,
}: ConfigurationReference): Promise<V1MutatingWebhookConfiguration | undefined> {
  const path = pathOf(name)
  return undefinedWhere([isNotFound], kube.request<V1MutatingWebhookConfiguration>({ method: 'GET', path }))
}

/** Whether each of its webhooks trusts the certificate (PEM). */
export function isTrusted(configuration: V1MutatingWebhookConfiguration | undefined, cert: string): boolean {
  return (configuration?.webhooks ?? []).every(({ clientConfig }) =>
    Buffer.from(clientConfig.caBundle ?? '', 'base64').includes(cert),
  )
}

/** What the API server trusts now, PEM; in the bundles written here, the one that signs comes first. */
export function trustedCertificates(configuration: V1MutatingWebhookConfiguration | undefined): string[] {
  const bundles = (configuration?.webhooks ?? []).map(({ clientConfig }) => clientConfig.caBundle ?? '')
  const texts = bundles.map((bundle) => Buffer.from(bundle, 'base64').toString())
  return texts.flatMap(
    (text) => text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?/gs) ?? [],
  )
}

/** Whether something had to be written. Rejects where a cert-manager, or somebody else, owns the field. */
export async function applyBundle(
  { kube, name }: ConfigurationReference,
  { metadata, webhooks = [] }: V1MutatingWebhookConfiguration,
  bundle: string,
): Promise<boolean> {
  const caBundle = Buffer.from(bundle).toString('base64')
  if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return false
  try {
    await kube.request({
      method: 'PATCH',
      path: pathOf(name),
      query: { fieldManager: certsFieldManager },
      contentType: applyPatch,
      body: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        // with its uid, an apply can't create what was deleted meanwhile
        metadata: { name, uid: metadata?.uid },
        webhooks: webhooks.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } })),
      },
    })
    return true
  } catch (error) {
    if (!isFieldConflict(error)) throw error
    throw new Error(
      `The caBundle of MutatingWebhookConfiguration ${name} is written by somebody else: use either cert-manager or self-managed certificates.`,
      { cause: error },
    )
  }
}

function pathOf(name: string): string {
  return `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`
}
