// An annotator that only shows what it would write: what it reads is real, no write is sent, and stamps that it has told of
// count as written, since everything else waits for them.
import type { ApiRequest, Kube } from '../lib/kube.ts'
import { servesLabel, zoneAnnotation, zoneKeyAnnotation } from '../lib/names.ts'
import type { Pod } from './objects/objects.ts'
import type { Input } from './plan/input.ts'

export interface DryRun {
  kube: Kube
  asWritten: (input: Input) => Input
}

interface PodPatch {
  metadata: {
    uid: string
    annotations: Readonly<Record<string, string | null>>
    labels: Readonly<Record<string, string | null>>
  }
}

/** `tell` hears of each write once, until another one goes to the same object: what isn't written is asked for again. */
export function dryRun(
  kube: Kube,
  tell: (write: Pick<ApiRequest, 'method' | 'path' | 'body'>) => void,
): DryRun {
  const told = new Map<string, { method: string; body: unknown }>()
  return {
    kube: {
      ...kube,
      async request<T>(request: ApiRequest): Promise<T> {
        const { method, path, body } = request
        if (method === 'GET') return kube.request<T>(request)
        // Events tell of writes: the log has them anyway
        if (/\/events(\/|$)/.test(path)) return {} as T
        if (JSON.stringify(told.get(path)) !== JSON.stringify({ method, body })) {
          told.set(path, { method, body })
          tell({ method, path, body })
        }
        return (body ?? {}) as T
      },
    },
    asWritten: (input) => ({
      ...input,
      pods: input.pods.map((pod) => {
        const patch = told.get(`/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`)?.body
        return patch === undefined ? pod : patched(pod, patch as PodPatch)
      }),
    }),
  }
}

function patched(pod: Pod, { metadata: { uid, annotations, labels } }: PodPatch): Pod {
  if (uid !== pod.uid) return pod
  const { [servesLabel]: _, ...others } = pod.labels
  const serves = labels[servesLabel] ?? undefined
  return {
    ...pod,
    zone: annotations[zoneAnnotation] ?? undefined,
    zoneKey: annotations[zoneKeyAnnotation] ?? undefined,
    serves,
    labels: serves === undefined ? others : { ...others, [servesLabel]: serves },
  }
}
