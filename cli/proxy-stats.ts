// Reads the statistics of every HAProxy: through the API server, as `kubectl port-forward` reaches pods from anywhere, or at
// the pods' own addresses.
import { atOnce } from '../lib/at-once.ts'
import { ApiError, type Kube } from '../lib/kube.ts'
import { type PageLimits, readPage, readWithin } from '../lib/page.ts'
import { parseServers, type ServerStats, versionOf, workerStartOf } from './haproxy-stats.ts'
import type { Pod } from './snapshot.ts'

export interface ProxyStats {
  namespace: string
  pod: string
  uid: string
  /** undefined where it doesn't say */
  workerStart: number | undefined
  servers: readonly ServerStats[]
  /** of HAProxy; undefined where it doesn't say */
  version: string | undefined
  /** why there is nothing */
  failure?: string
}

export interface StatsOptions {
  way: 'proxy' | 'direct'
  port: number
  /** for each of a proxy's two pages; tests have less patience */
  limits?: PageLimits
}

/** Few at a time: a statistics page of a large cluster has megabytes, half a kilobyte for each server. */
const mostReads = 8
const usualLimits: PageLimits = { time: 20_000, length: 64 * 2 ** 20 }

export function readProxyStats(
  kube: Kube,
  pods: readonly Pod[],
  options: StatsOptions,
): Promise<ProxyStats[]> {
  return atOnce(mostReads, pods, (pod) => readOne(kube, pod, options))
}

async function readOne(kube: Kube, pod: Pod, options: StatsOptions): Promise<ProxyStats> {
  const { way, port, limits = usualLimits } = options
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const own = { namespace, pod: name, uid }
  const read = (path: string) =>
    way === 'proxy'
      ? throughApiServer(kube, `/api/v1/namespaces/${namespace}/pods/${name}:${port}/proxy${path}`, limits)
      : directly(pod.status?.podIP ?? '', port, path, limits)
  try {
    const servers = parseServers(await read('/;csv'))
    const metrics = await read('/metrics?scope=global').catch(() => '')
    return { ...own, servers, workerStart: workerStartOf(metrics), version: versionOf(metrics) }
  } catch (error) {
    return {
      ...own,
      servers: [],
      workerStart: undefined,
      version: undefined,
      failure: (error as Error).message,
    }
  }
}

/** The API server passes on whatever the pod sends. */
async function throughApiServer(kube: Kube, path: string, limits: PageLimits): Promise<string> {
  const request = { method: 'GET' as const, path, accept: '*/*' }
  const { status, text } = await readWithin(path, limits, (signal) => kube.stream({ ...request, signal }))
  if (status !== 200) throw new ApiError(request, status, text)
  return text
}

async function directly(address: string, port: number, path: string, limits: PageLimits): Promise<string> {
  const { status, text } = await readPage(address, port, path, limits)
  if (status !== 200) throw new Error(`http://${address}:${port}${path}: status ${status}`)
  return text
}
