// Secrets with PEM texts: read, and written so that two writers can't overwrite each other.
import type { V1Secret } from '@kubernetes/client-node'
import { undefinedWhere } from '../lib/expected.ts'
import { isConflict, isNotFound, type Kube } from '../lib/kube.ts'
import { certsFieldManager as fieldManager } from '../lib/names.ts'

export interface SecretReference {
  kube: Kube
  namespace: string
  name: string
}

/** Undefined where there is none. */
export async function readSecret({ kube, namespace, name }: SecretReference): Promise<V1Secret | undefined> {
  const path = `${secretsPath(namespace)}/${name}`
  return undefinedWhere([isNotFound], kube.request<V1Secret>({ method: 'GET', path }))
}

/** Rejects with a conflict where the Secret is not as `before` any more. Keys that are not in `texts` go. */
export async function writeSecret(
  { kube, namespace, name }: SecretReference,
  before: V1Secret | undefined,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  const path = secretsPath(namespace)
  const query = { fieldManager }
  if (before) {
    await kube.request({ method: 'PUT', path: `${path}/${name}`, query, body: { ...before, data } })
    return
  }
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'kubernetes.io/tls',
    data,
  }
  await kube.request({ method: 'POST', path, query, body })
}

/** Empty where the Secret does not have it. */
export function textIn(secret: V1Secret | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? '', 'base64').toString()
}

/** Repeats a read and write that somebody else came between. */
export async function untilAgreed<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step()
    } catch (error) {
      if (!isConflict(error) || attempt === 10) throw error
    }
  }
}

function secretsPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/secrets`
}
