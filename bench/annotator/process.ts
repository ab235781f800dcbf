// The annotator's own process, as its manifest runs it, and what can be seen of it from outside.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { imageFolder } from '../../image/sources.ts'
import { apiServerAddress } from '../../test/cluster/network.ts'
import { until } from '../../test/cluster/until.ts'
import { annotatorNamespace, installFile, type LargeCluster } from './cluster.ts'
import { parseMetrics } from './metrics.ts'

export interface Memory {
  residentMiB: number
  /** the most since its start */
  peakMiB: number
  /** what of it the engine uses for objects */
  heapMiB: number
}

export interface AnnotatorProcess {
  /** ms since 1970 */
  readonly startedAt: number
  /** by name, with labels where there are any */
  metrics(): Promise<ReadonlyMap<string, number>>
  memory(): Promise<Memory>
  /** used since its start */
  cpuSeconds(): Promise<number>
  stop(): Promise<void>
}

const probesPort = 18_081
const accountFolder = '/run/secrets/kubernetes.io/serviceaccount'
/** The kernel counts a process's time in hundredths of a second. */
const ticksPerSecond = 100

export async function startAnnotatorProcess(cluster: LargeCluster): Promise<AnnotatorProcess> {
  const { kube, folder } = cluster
  const path = `/api/v1/namespaces/${annotatorNamespace}/serviceaccounts/zonefirst-annotator/token`
  const { status } = await kube.request<{ status: { token: string } }>({ method: 'POST', path, body: {} })
  await mkdir(accountFolder, { recursive: true })
  await writeFile(join(accountFolder, 'token'), status.token)
  await copyFile(join(folder, 'apiserver.crt'), join(accountFolder, 'ca.crt'))

  const { command, env } = await containerOfManifest()
  const [, program = ''] = command
  const log = openSync(join(folder, 'logs', 'annotator.log'), 'a')
  const startedAt = Date.now()
  const child = spawn(process.execPath, [program], {
    cwd: imageFolder,
    stdio: ['ignore', log, log],
    env: {
      ...env,
      PATH: process.env.PATH,
      KUBERNETES_SERVICE_HOST: apiServerAddress,
      KUBERNETES_SERVICE_PORT: '443',
      ZONEFIRST_LISTEN_ADDRESS: '127.0.0.1',
      ZONEFIRST_PROBES_PORT: String(probesPort),
      ZONEFIRST_IDENTITY: 'zonefirst-annotator-1',
    },
  })
  closeSync(log)
  let isStopping = false
  child.once('exit', async (code) => {
    if (!isStopping)
      throw new Error(
        `the annotator ended (${code}):\n${await readFile(join(folder, 'logs', 'annotator.log'), 'utf8')}`,
      )
  })
  const url = `http://127.0.0.1:${probesPort}`
  await until('the annotator is ready', async () => (await fetch(`${url}/readyz`)).ok, { timeoutMs: 120_000 })
  const metrics = async () => parseMetrics(await (await fetch(`${url}/metrics`)).text())
  return {
    startedAt,
    metrics,
    async memory() {
      const text = await readFile(`/proc/${child.pid}/status`, 'utf8')
      const mebibytes = (name: string) =>
        Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024)
      const heap = (await metrics()).get('nodejs_heap_size_used_bytes') ?? Number.NaN
      return {
        residentMiB: mebibytes('VmRSS'),
        peakMiB: mebibytes('VmHWM'),
        heapMiB: Math.round(heap / 2 ** 20),
      }
    },
    async cpuSeconds() {
      const text = await readFile(`/proc/${child.pid}/stat`, 'utf8')
      // the program's name, in parentheses, may hold spaces
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
    },
    async stop() {
      isStopping = true
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** What the manifest sets to fixed values. */
async function containerOfManifest(): Promise<{ command: string[]; env: Record<string, string> }> {
  const documents = parseAllDocuments(await readFile(installFile, 'utf8'))
  const deployment = documents
    .map((document) => document.toJS())
    .find((object) => object?.kind === 'Deployment' && object.metadata.name === 'zonefirst-annotator')
  const [container] = deployment.spec.template.spec.containers
  const env = (container.env as { name: string; value?: string }[]).flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return { command: container.command, env: Object.fromEntries(env) }
}
