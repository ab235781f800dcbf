// What a container finds in its environment: values, the downward API, ConfigMaps and Secrets. Pure.
import type { V1ConfigMap, V1Container, V1EnvVarSource, V1Pod, V1Secret } from '@kubernetes/client-node'
import { apiServerAddress } from './network.ts'

/** Reads what pods refer to in their own namespace. */
export interface Sources {
  configMap(name: string): V1ConfigMap | undefined
  secret(name: string): V1Secret | undefined
}

/** Something that the pod refers to isn't there (yet): the container waits for it. */
export class MissingSource extends Error {
  override readonly name = 'MissingSource'
}

export interface PodAddresses {
  pod: string
  host: string
}

export function environmentOf(
  pod: V1Pod,
  container: V1Container,
  addresses: PodAddresses,
  sources: Sources,
): Record<string, string> {
  const env: Record<string, string> = {
    KUBERNETES_SERVICE_HOST: apiServerAddress,
    KUBERNETES_SERVICE_PORT: '443',
    KUBERNETES_SERVICE_PORT_HTTPS: '443',
  }
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const data = configMapRef
      ? configMapData(configMapRef.name ?? '', configMapRef.optional, sources)
      : secretData(secretRef?.name ?? '', secretRef?.optional, sources)
    for (const [name, value] of Object.entries(data ?? {})) env[prefix + name] = value.toString()
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const found = valueFrom ? resolveSource(pod, valueFrom, addresses, sources) : expand(value ?? '', env)
    if (found !== undefined) env[name] = found
  }
  return env
}

/** Replaces `$(NAME)` where NAME is known, as in command, args and values; `$$` is a dollar sign. */
export function expand(text: string, env: Record<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name) =>
    whole === '$$' ? '$' : (env[name as string] ?? whole),
  )
}

/** The value of one field of the pod as the downward API has it. */
export function fieldOf(pod: V1Pod, path: string, addresses: PodAddresses): string {
  const [, group, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? []
  if (group && key) return pod.metadata?.[group as 'labels' | 'annotations']?.[key] ?? ''
  const fields: Record<string, string | undefined> = {
    'metadata.name': pod.metadata?.name,
    'metadata.namespace': pod.metadata?.namespace,
    'metadata.uid': pod.metadata?.uid,
    'spec.nodeName': pod.spec?.nodeName,
    'spec.serviceAccountName': pod.spec?.serviceAccountName,
    'status.podIP': addresses.pod,
    'status.podIPs': addresses.pod,
    'status.hostIP': addresses.host,
    'status.hostIPs': addresses.host,
  }
  const value = fields[path]
  if (value === undefined) throw new Error(`fieldRef ${path} is not known to the stand-in for the kubelet`)
  return value
}

export function configMapData(
  name: string,
  optional: boolean | undefined,
  sources: Sources,
): Record<string, string | Buffer> | undefined {
  const found = sources.configMap(name)
  if (!found && !optional) throw new MissingSource(`configmap "${name}" not found`)
  const binary = Object.entries(found?.binaryData ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64'),
  ])
  return found && { ...found.data, ...Object.fromEntries(binary) }
}

export function secretData(
  name: string,
  optional: boolean | undefined,
  sources: Sources,
): Record<string, Buffer> | undefined {
  const found = sources.secret(name)
  if (!found && !optional) throw new MissingSource(`secret "${name}" not found`)
  const entries = Object.entries(found?.data ?? {})
  return found && Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64')]))
}

function resolveSource(
  pod: V1Pod,
  source: V1EnvVarSource,
  addresses: PodAddresses,
  sources: Sources,
): string | undefined {
  const { fieldRef, configMapKeyRef, secretKeyRef } = source
  if (fieldRef) return fieldOf(pod, fieldRef.fieldPath, addresses)
  const ref = configMapKeyRef ?? secretKeyRef
  if (!ref)
    throw new Error(`env of the kind ${Object.keys(source)} is not known to the stand-in for the kubelet`)
  const data = configMapKeyRef
    ? configMapData(ref.name ?? '', ref.optional, sources)
    : secretData(ref.name ?? '', ref.optional, sources)
  const value = data?.[ref.key]
  if (value === undefined && !ref.optional) {
    throw new MissingSource(
      `couldn't find key ${ref.key} in ${configMapKeyRef ? 'configmap' : 'secret'} "${ref.name}"`,
    )
  }
  return value?.toString()
}
