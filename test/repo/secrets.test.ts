// No program ever says a secret: each runs at its most talkative level through its ways and failures, with a token and keys that are
// known, and neither they nor parts of them are in what it wrote or in its metrics.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readAll } from '../../lib/kube.ts'
import { root } from '../cluster/tools.ts'
import { until } from '../cluster/until.ts'
import { sendJson, sendStatus, sendWatch, startApiServer } from '../fixtures/api-server.ts'
import { bindingReview, podUid } from '../fixtures/reviews.ts'
import { makeCertificates } from '../fixtures/tls.ts'

/** As the test's kubeconfig has it. */
const token = 'secret-token'
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** What of a key must be nowhere: each line of its PEM text, and the text as a Secret holds it. */
function partsOf(key: string): string[] {
  const lines = key.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'))
  return [...lines, ...lines.map((line) => base64(line).slice(0, 24)), base64(key).slice(60, 120)]
}

interface Running {
  output: () => string
  /** Resolves when it has said so. */
  says: (what: string | RegExp) => Promise<unknown>
  stop: () => Promise<void>
}

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL, body: string) => void

/** A program with an API server that the test plays. */
async function start(
  t: Test,
  program: string,
  handler: Handler,
  env: Record<string, string> = {},
): Promise<Running> {
  const api = await startApiServer((request, response, url) => {
    void readAll(request).then((body) => handler(request, response, url, body))
  })
  const folder = t.testdirName
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'kubeconfig'), api.kubeconfig)
  const child = spawn(process.execPath, [join(root, program, 'main.ts')], {
    env: {
      ZONEFIRST_KUBECONFIG: join(folder, 'kubeconfig'),
      ZONEFIRST_LISTEN_ADDRESS: '127.0.0.1',
      ZONEFIRST_PROBES_PORT: '0',
      ZONEFIRST_LOG_LEVEL: 'debug',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
  }
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
    api.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    output: () => text,
    says(what) {
      const check = () => (typeof what === 'string' ? text.includes(what) : what.test(text))
      return until(`${program} says ${what}`, check, { timeoutMs: 120_000 })
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function checkSilent(t: Test, text: string, secrets: readonly string[]): void {
  t.ok(text.length > 100, 'it says something')
  const said = [token, base64(token), 'Bearer', 'PRIVATE KEY', ...secrets].filter((secret) =>
    text.includes(secret),
  )
  t.strictSame(said, [])
}

/** Faults that an API server can answer with, one after the other, and then what is usual. */
function faults() {
  const left: ((response: ServerResponse) => void)[] = [
    (response) => sendStatus(response, 401, 'Unauthorized'),
    (response) => sendStatus(response, 403, 'Forbidden'),
    (response) => sendStatus(response, 500, 'InternalError'),
    (response) => response.writeHead(200).end('{"kind":'),
    (response) => response.destroy(),
  ]
  /** Whether it answered. */
  return (response: ServerResponse) => {
    const fault = left.shift()
    fault?.(response)
    return fault !== undefined
  }
}

t.test('the webhook', async (t) => {
  const { serving, authority } = await makeCertificates()
  const other = await makeCertificates()
  const folder = t.testdir({ 'tls.crt': serving.cert, 'tls.key': serving.key })
  const items: Record<string, object[]> = {
    '/api/v1/nodes': [{ metadata: { name: 'node-a-1', labels: { 'topology.kubernetes.io/zone': 'a' } } }],
    '/api/v1/pods': [],
  }
  const fault = faults()
  const webhook = await start(
    t,
    'webhook',
    (_request, response, url) => {
      if (items[url.pathname]) {
        if (!fault(response)) sendWatch(response, url, items[url.pathname] ?? [])
      } else sendStatus(response, 500, 'InternalError')
    },
    { ZONEFIRST_TLS_FOLDER: folder, ZONEFIRST_REVIEW_PORT: '0', ZONEFIRST_DRAIN_DELAY: '0ms' },
  )
  await webhook.says('"msg":"listening"')
  await webhook.says('trying again')
  const reviews = /"reviews":"([^"]+)"/.exec(webhook.output())?.[1] ?? ''
  const agent = new https.Agent({ ca: authority.cert, servername: 'localhost' })
  t.teardown(() => agent.destroy())
  const post = async (body: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const request = https.request(new URL('/mutate', reviews), { method: 'POST', agent, headers })
    request.end(body)
    const [response] = await once(request, 'response')
    return readAll(response)
  }
  const answers = [await post(JSON.stringify(bindingReview())), await post(`{"kind": ${serving.key}`)]
  await webhook.says('lookup-failed')
  // another certificate's key, a key that is none, and then a pair again
  writeFileSync(join(folder, 'tls.key'), other.serving.key)
  await webhook.says('tls.key is not the key of tls.crt')
  writeFileSync(join(folder, 'tls.key'), serving.key.replaceAll('M', '!'))
  await webhook.says(/can't be used: (?!tls\.key is not)/)
  await webhook.stop()
  const secrets = [...partsOf(serving.key), ...partsOf(other.serving.key), podUid]
  checkSilent(t, webhook.output(), secrets.slice(0, -1))
  checkSilent(t, `${answers.join('\n')}${' '.repeat(100)}`, partsOf(other.serving.key))
})

t.test('the annotator', async (t) => {
  const service = { metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' }, spec: {} }
  const fault = faults()
  const annotator = await start(t, 'annotator', (request, response, url) => {
    if (fault(response)) return
    if (url.searchParams.has('watch'))
      sendWatch(response, url, url.pathname.endsWith('/services') ? [service] : [])
    else if (url.pathname.includes('/leases')) {
      if (request.method === 'GET') sendStatus(response, 404, 'NotFound')
      else
        sendJson(response, 200, { metadata: { name: 'zonefirst-annotator', resourceVersion: '1' }, spec: {} })
    } else sendStatus(response, 500, 'InternalError')
  })
  await annotator.says('"msg":"leading"')
  await annotator.says('trying again')
  await annotator.says(/"key":"zones"/)
  await annotator.stop()
  checkSilent(t, annotator.output(), [])
})

t.test('the program of certificates', async (t) => {
  const written: string[] = []
  const secrets = new Map<string, { metadata: object; data: Record<string, string> }>()
  const fault = faults()
  // an API server, or a policy before it, that quotes what it refuses
  let refusals = 2
  const broken = 'VGhpcyBpcyBub3QgYSBrZXkgYnV0IG5vYm9keSBzaG91bGQgc2VlIGl0'
  secrets.set('zonefirst-webhook-ca', {
    metadata: { name: 'zonefirst-webhook-ca', resourceVersion: '1' },
    data: { 'tls.crt': broken, 'tls.key': broken },
  })
  const certs = await start(
    t,
    'certs',
    (request, response, url, body) => {
      const [, name] = /\/secrets\/([^/]+)$/.exec(url.pathname) ?? []
      if (url.searchParams.has('watch')) return sendWatch(response, url, [])
      if (fault(response)) return
      if (url.pathname.includes('mutatingwebhookconfigurations')) {
        const object = {
          metadata: { name: 'zonefirst', uid: 'u' },
          webhooks: [{ name: 'x', clientConfig: {} }],
        }
        return sendJson(response, 200, object)
      }
      if (request.method === 'GET') {
        const found = secrets.get(name ?? '')
        return found ? sendJson(response, 200, found) : sendStatus(response, 404, 'NotFound')
      }
      written.push(...Object.values((JSON.parse(body) as { data: Record<string, string> }).data))
      if (refusals-- > 0)
        return sendJson(response, 422, { kind: 'Status', reason: 'Invalid', message: `quoted: ${body}` })
      const secret = JSON.parse(body)
      secrets.set(secret.metadata.name, secret)
      sendJson(response, 200, secret)
    },
    { ZONEFIRST_CERTS_INTERVAL: '1s' },
  )
  await certs.says('are not as they should be')
  await certs.says('written: the serving certificate')
  await certs.stop()
  const keys = written
    .map((data) => Buffer.from(data, 'base64').toString())
    .filter((text) => text.includes('PRIVATE KEY'))
  t.ok(keys.length >= 3, `${keys.length} keys were made`)
  checkSilent(t, certs.output(), [...keys.flatMap(partsOf), broken, Buffer.from(broken, 'base64').toString()])
})
