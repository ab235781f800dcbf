// Which files a pod's volume holds: of ConfigMaps, Secrets, tokens and the downward API. Writing them is
// volume-writer.ts's.
import type { V1KeyToPath, V1Pod, V1Volume, V1VolumeProjection } from '@kubernetes/client-node'
import { configMapData, fieldOf, type PodAddresses, type Sources, secretData } from './pod-env.ts'

export interface VolumeSources extends Sources {
  /** A token of the pod's service account. */
  token(audience: string | undefined): Promise<string>
}

/** Content by path inside the volume. */
export type Files = Record<string, string | Buffer>

/** Undefined for an emptyDir, which is the pod's own. */
export async function filesOf(
  pod: V1Pod,
  volume: V1Volume,
  addresses: PodAddresses,
  sources: VolumeSources,
): Promise<Files | undefined> {
  if (volume.emptyDir) return undefined
  const { configMap, secret, projected, downwardAPI } = volume
  if (configMap) return project({ configMap }, pod, addresses, sources)
  if (secret) {
    const { secretName, ...rest } = secret
    return project(
      { secret: secretName === undefined ? rest : { ...rest, name: secretName } },
      pod,
      addresses,
      sources,
    )
  }
  if (downwardAPI) return project({ downwardAPI }, pod, addresses, sources)
  if (!projected)
    throw new Error(`volume ${volume.name}: its kind is not known to the stand-in for the kubelet`)
  const parts = (projected.sources ?? []).map((source) => project(source, pod, addresses, sources))
  return Object.assign({}, ...(await Promise.all(parts))) as Files
}

async function project(
  { configMap, secret, serviceAccountToken, downwardAPI }: V1VolumeProjection,
  pod: V1Pod,
  addresses: PodAddresses,
  sources: VolumeSources,
): Promise<Files> {
  if (configMap) {
    return select(configMapData(configMap.name ?? '', configMap.optional, sources), configMap.items)
  }
  if (secret) return select(secretData(secret.name ?? '', secret.optional, sources), secret.items)
  if (serviceAccountToken) {
    return { [serviceAccountToken.path]: await sources.token(serviceAccountToken.audience) }
  }
  const items = (downwardAPI?.items ?? []).map(({ path, fieldRef }) => [
    path,
    fieldFile(pod, fieldRef?.fieldPath, addresses),
  ])
  return Object.fromEntries(items) as Files
}

function fieldFile(pod: V1Pod, path: string | undefined, addresses: PodAddresses): string {
  if (path !== 'metadata.labels' && path !== 'metadata.annotations')
    return fieldOf(pod, path ?? '', addresses)
  const values = path === 'metadata.labels' ? pod.metadata?.labels : pod.metadata?.annotations
  return Object.entries(values ?? {})
    .map(([key, value]) => `${key}=${JSON.stringify(value)}\n`)
    .join('')
}

function select(data: Files | undefined, items: V1KeyToPath[] | undefined): Files {
  if (!data || !items) return data ?? {}
  const chosen = items.flatMap(({ key, path }) => {
    const content = data[key]
    return content === undefined ? [] : [[path, content] as const]
  })
  return Object.fromEntries(chosen)
}
