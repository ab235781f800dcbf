// Reads the statistics of every HAProxy: through the API server, as `kubectl port-forward` reaches pods from anywhere, or at
// the pods' own addresses.
import { ApiError, type Kube, readAll } from '../lib/kube.ts'
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
}

/** Few at a time: a statistics page of a large cluster has megabytes. */
const atOnce = 8

export async function readProxyStats(
  kube: Kube,
  pods: readonly Pod[],
  options: StatsOptions,
  say: (done: number, all: number) => void = () => {},
): Promise<ProxyStats[]> {
  const results: ProxyStats[] = []
  const waiting = [...pods.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, pod] = next
      results[index] = await readOne(kube, pod, options)
      say(pods.length - waiting.length, pods.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, pods.length) }, work))
  return results
}

async function readOne(kube: Kube, pod: Pod, options: StatsOptions): Promise<ProxyStats> {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const own = { namespace, pod: name, uid }
  const read = (path: string) =>
    options.way === 'proxy'
      ? throughApiServer(kube, `${namespace}/pods/${name}:${options.port}/proxy${path}`)
      : directly(pod.status?.podIP ?? '', options.port, path)
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

async function throughApiServer(kube: Kube, path: string): Promise<string> {
  const request = {
    method: 'GET' as const,
    path: `/api/v1/namespaces/${path}`,
    accept: '*/*',
    signal: AbortSignal.timeout(20_000),
  }
  const answer = await kube.stream(request)
  const text = await readAll(answer)
  if (answer.statusCode !== 200) throw new ApiError(request, answer.statusCode ?? 0, text)
  return text
}

async function directly(address: string, port: number, path: string): Promise<string> {
  const host = address.includes(':') ? `[${address}]` : address
  const answer = await fetch(`http://${host}:${port}${path}`, {
    // one that is used again would hold the worker that a reload has replaced
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(10_000),
  })
  if (!answer.ok) throw new Error(`http://${host}:${port}${path}: status ${answer.status}`)
  return answer.text()
}
