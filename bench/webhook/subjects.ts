// Starts one of the programs that are compared, on processor 0, with the made-up API server beside the load on the other.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { parseAllDocuments } from 'yaml'
import { until } from '../../test/cluster/until.ts'
import { makeCertificates } from '../../test/fixtures/tls.ts'
import { type PeerForm, type PeerPrograms, peerFlags, type Subject } from './peer.ts'

export interface Running {
  subject: Subject
  pid: number
  /** where reviews are posted to */
  url: string
  /** from start to ready, ms */
  readyMs: number
  stop(): Promise<void>
}

const fakeApiPort = 18_080
const apiPort = 18_443
const reviewPort = 19_443
const probesPort = 19_080
const certificates = '/run/bench/tls'
const serviceAccount = '/run/secrets/kubernetes.io/serviceaccount'

/** One certificate for all, and what a pod finds of its service account: the webhook runs as it does in a cluster. */
export async function prepareFiles(): Promise<() => void> {
  const { authority, serving } = await makeCertificates()
  await Promise.all([certificates, serviceAccount].map((folder) => mkdir(folder, { recursive: true })))
  await writeFile(`${certificates}/tls.crt`, serving.cert)
  await writeFile(`${certificates}/tls.key`, serving.key)
  await writeFile(`${serviceAccount}/token`, 'token')
  await writeFile(`${serviceAccount}/ca.crt`, authority.cert)
  // the made-up API server speaks HTTP
  const front = createServer({ cert: serving.cert, key: serving.key }, (socket: TLSSocket) => {
    const back = connect(fakeApiPort, '127.0.0.1')
    socket.pipe(back).pipe(socket)
    for (const end of [socket, back]) end.on('error', () => [socket, back].map((each) => each.destroy()))
  })
  front.listen(apiPort, '127.0.0.1')
  await once(front, 'listening')
  return () => front.close()
}

export async function startFakeApi({ fakeapi }: PeerPrograms, pods: number): Promise<() => Promise<void>> {
  const flags = [`-pods=${pods}`, `-pending=${Math.min(pods, 1_000)}`, '-label=zonefirst.io/enabled']
  const child = run('1', [fakeapi, ...flags, `-addr=127.0.0.1:${fakeApiPort}`], {})
  await until(
    'the API server answers',
    async () => (await fetch(`http://127.0.0.1:${fakeApiPort}/version`)).ok,
  )
  return () => end(child)
}

export async function startSubject(programs: PeerPrograms, subject: Subject): Promise<Running> {
  const env = await manifestEnvironment()
  const startedAt = performance.now()
  const isOurs = subject === 'zonefirst' || subject === 'bare fastify'
  const child = isOurs ? startOurs(programOf[subject], env) : startPeer(programs, subject)
  const isReady = isOurs ? oursIsReady : peerIsReady(child)
  await until(`${subject} is ready`, isReady, { intervalMs: 5, timeoutMs: 180_000 })
  const path = isOurs ? '/mutate' : '/inject-pod-topology'
  return {
    subject,
    pid: child.pid ?? 0,
    url: `https://127.0.0.1:${reviewPort}${path}?timeout=2s`,
    readyMs: Math.round(performance.now() - startedAt),
    stop: () => end(child),
  }
}

/** Resident memory now, MiB. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024)
}

/** What the manifest sets to fixed values. */
async function manifestEnvironment(): Promise<Record<string, string>> {
  const documents = parseAllDocuments(await readFile('manifests/install.yaml', 'utf8'))
  const deployment = documents
    .map((document) => document.toJS())
    .find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'zonefirst-webhook')
  const env: { name: string; value?: string }[] = deployment.spec.template.spec.containers[0].env
  return Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
}

const programOf = {
  zonefirst: 'build/image/webhook/main.js',
  'bare fastify': 'bench/webhook/bare-fastify.ts',
}

function startOurs(program: string, env: Record<string, string>): ChildProcess {
  return run('0', [process.execPath, program], {
    ...env,
    KUBERNETES_SERVICE_HOST: 'localhost',
    KUBERNETES_SERVICE_PORT: String(apiPort),
    ZONEFIRST_LISTEN_ADDRESS: '127.0.0.1',
    ZONEFIRST_REVIEW_PORT: String(reviewPort),
    ZONEFIRST_PROBES_PORT: String(probesPort),
    ZONEFIRST_TLS_FOLDER: certificates,
    ZONEFIRST_DRAIN_DELAY: '0s',
  })
}

async function oursIsReady(): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${probesPort}/readyz`)).ok
}

function startPeer({ peer }: PeerPrograms, form: PeerForm): ChildProcess {
  const flags = ['-label=zonefirst.io/enabled', `-certs=${certificates}`, `-port=${reviewPort}`]
  return run('0', [peer, ...peerFlags[form], ...flags, `-api=http://127.0.0.1:${fakeApiPort}`], {})
}

/** Its caches are filled, which it prints, and it takes connections. */
function peerIsReady(child: ChildProcess): () => Promise<boolean> {
  let isSynced = false
  child.stdout?.on('data', (text: Buffer) => {
    isSynced ||= text.includes('SYNCED')
  })
  return async () => {
    if (!isSynced) return false
    const socket = connect(reviewPort, '127.0.0.1')
    const connected = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ])
    socket.destroy()
    return connected
  }
}

function run(processor: string, argv: string[], env: Record<string, string>): ChildProcess {
  const child = spawn('taskset', ['-c', processor, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...env },
  })
  child.stdout?.resume()
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
