import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import https from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { sendStatus, sendWatch, startApiServer } from '../fixtures/api-server.ts'
import { makeClientCertificate } from '../fixtures/client-certificate.ts'
import { bindingReview, podUid } from '../fixtures/reviews.ts'
import { makeCertificates } from '../fixtures/tls.ts'

const main = join(import.meta.dirname, '../../webhook/main.ts')
const lists: Record<string, object[]> = {
  '/api/v1/pods': [
    {
      metadata: { name: 'web-1', namespace: 'shop', uid: podUid, labels: { 'zonefirst.io/enabled': 'true' } },
    },
  ],
  '/api/v1/nodes': [{ metadata: { name: 'node-a-1', labels: { 'topology.kubernetes.io/zone': 'eu-1a' } } }],
}

interface LogLine {
  msg: string
  probes?: string
  reviews?: string
}

/** The program, with an API server of the test's own, until it listens. */
async function startWebhook(t: Test, { clientCA = '', client = {} as https.AgentOptions } = {}) {
  const api = await startApiServer((_request, response, url) => {
    const items = lists[url.pathname]
    if (!items) sendStatus(response, 404, 'NotFound')
    else sendWatch(response, url, items)
  })
  const { authority, serving } = await makeCertificates()
  const folder = t.testdir({ 'tls.crt': serving.cert, 'tls.key': serving.key, 'ca.crt': clientCA })
  writeFileSync(join(folder, 'kubeconfig'), api.kubeconfig)
  const program = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ZONEFIRST_KUBECONFIG: join(folder, 'kubeconfig'),
      ZONEFIRST_TLS_FOLDER: folder,
      ZONEFIRST_LISTEN_ADDRESS: '127.0.0.1',
      ZONEFIRST_REVIEW_PORT: '0',
      ZONEFIRST_PROBES_PORT: '0',
      ZONEFIRST_DRAIN_DELAY: '1h',
      ZONEFIRST_CLIENT_CA_FILE: clientCA && join(folder, 'ca.crt'),
    },
  })
  const exited = once(program, 'exit')
  t.teardown(async () => {
    program.kill('SIGKILL')
    await exited
    api.close()
  })
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
  const nextLine = async (message: string): Promise<LogLine> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`the program ended before it said "${message}"`)
      const line = JSON.parse(value) as LogLine
      if (line.msg === message) return line
    }
  }
  const { probes = '', reviews = '' } = await nextLine('listening')
  const agent = new https.Agent({ keepAlive: true, ca: authority.cert, servername: 'localhost', ...client })
  t.teardown(() => agent.destroy())
  return { program, exited, nextLine, probes, post: () => post(new URL('/mutate', reviews), agent) }
}

async function post(url: URL, agent: https.Agent): Promise<unknown> {
  const request = https.request(url, { method: 'POST', agent })
  request.end(JSON.stringify(bindingReview()))
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return JSON.parse(text)
}

async function untilReady(probes: string): Promise<void> {
  while (!(await fetch(`${probes}/readyz`)).ok) await new Promise(setImmediate)
}

t.test('it becomes ready, stamps, and counts', async (t) => {
  const { probes, post } = await startWebhook(t)
  await untilReady(probes)
  const { response } = (await post()) as { response: { allowed: boolean; patch: string } }
  t.equal(response.allowed, true)
  t.match(Buffer.from(response.patch, 'base64').toString(), '"zonefirst.io/zone":"eu-1a"')
  const metrics = await (await fetch(`${probes}/metrics`)).text()
  t.match(metrics, 'zonefirst_webhook_reviews_total{reason="stamped"} 1\n')
  t.match(metrics, /^zonefirst_informer_objects\{informer="pods"\} 1$/m)
  t.match(metrics, /^zonefirst_webhook_certificate_expiry_timestamp_seconds 1\d{9}$/m)
})

t.test('SIGTERM under load: unready at once, and no review is lost', async (t) => {
  const { program, exited, nextLine, probes, post } = await startWebhook(t)
  await untilReady(probes)
  let answered = 0
  let stopping = false
  const callers = [1, 2, 3, 4].map(async () => {
    while (!stopping) {
      await post()
      answered += 1
    }
  })
  program.kill('SIGTERM')
  await nextLine('draining')
  const ready = await fetch(`${probes}/readyz`)
  t.equal(ready.status, 503)
  t.match(await ready.text(), 'not-draining: not ready\n')
  const before = answered
  while (answered < before + 20) await new Promise(setImmediate)
  // as the API server does, once it has learnt that the endpoint is gone
  stopping = true
  await Promise.all(callers)
  program.kill('SIGTERM')
  t.strictSame(await exited, [0, null])
})

t.test('clients are verified, once an authority is named', async (t) => {
  const trusted = await makeClientCertificate('api')
  const { post } = await startWebhook(t, { clientCA: trusted.cert, client: trusted })
  t.match(await post(), { response: { allowed: true } })
})

t.test('settings that can’t be used end it with a sentence', async (t) => {
  const program = spawn(process.execPath, [main], { env: { ZONEFIRST_REVIEW_PORT: 'http' } })
  let text = ''
  for await (const chunk of program.stderr) text += chunk
  t.match(text, /^ZONEFIRST_REVIEW_PORT is "http", but must be a whole number from 0 to 65535\.\n$/)
})
