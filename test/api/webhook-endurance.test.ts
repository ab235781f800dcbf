// What the webhook and its configuration survive on a real API server: bad input, and being applied anew. What becomes of
// pods while the webhook is away is in webhook-faults.test.ts.
import '../cluster/enter.ts'
import { once } from 'node:events'
import https from 'node:https'
import type { V1Secret } from '@kubernetes/client-node'
import t from 'tap'
import { bindingReview } from '../fixtures/reviews.ts'
import {
  bind,
  createPod,
  inZoneA,
  podOf,
  stampOf,
  startWebhookCluster,
  webhookPods,
} from '../scenario/webhook-cluster.ts'
import { partOfZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startWebhookCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())

t.test('bad input, straight to the webhook, is answered, and the next review too', async (t) => {
  const secret = await cluster.kube.request<V1Secret>({
    method: 'GET',
    path: '/api/v1/namespaces/zonefirst-system/secrets/zonefirst-webhook-tls',
  })
  const ca = Buffer.from(secret.data?.['ca.crt'] ?? '', 'base64')
  const host = (await webhookPods(cluster))[0]?.status?.podIP
  const post = async (body: string) => {
    const servername = 'zonefirst-webhook.zonefirst-system.svc'
    const request = https.request({ host, port: 10250, servername, ca, method: 'POST', path: '/mutate' })
    request.end(body)
    const [response] = await once(request, 'response')
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    return { status: response.statusCode, text }
  }
  const toMachine = bindingReview({ target: { kind: 'Machine', name: 'x' } })
  const rows = [
    { name: 'no JSON', body: '{"kind":', status: 400, text: /^The body is not JSON/ },
    {
      name: 'no AdmissionReview',
      body: '{"kind":"Pod"}',
      status: 400,
      text: /^The body is not an AdmissionReview/,
    },
    {
      name: 'too large',
      body: ' '.repeat(5 * 1_048_576),
      status: 413,
      text: /^The body is larger than 4194304 bytes/,
    },
    { name: 'not to a Node', body: JSON.stringify(toMachine), status: 200, text: /"allowed":true}/ },
    { name: 'an unknown pod', body: JSON.stringify(bindingReview()), status: 200, text: /"allowed":true}/ },
  ]
  for (const [index, { name, body, status, text }] of rows.entries()) {
    const answer = await post(body)
    t.equal(answer.status, status, name)
    t.match(answer.text, text, name)
    const pod = await createPod(cluster, podOf({ name: `web-${index}` }))
    t.strictSame(stampOf(await bind(cluster, pod)), inZoneA, `after: ${name}`)
  }
})

t.test('applying the configuration again leaves the caBundle', async (t) => {
  const bundles = () =>
    cluster.kubectl(
      'get',
      'mutatingwebhookconfiguration',
      'zonefirst',
      '-o',
      'jsonpath={.webhooks[*].clientConfig.caBundle}',
    )
  const before = await bundles()
  t.not(before, '')
  await cluster.kubectl('apply', ...partOfZonefirst('webhook-configuration'))
  t.equal(await bundles(), before, 'client-side')
  const serverSide = ['apply', '--server-side', '--force-conflicts']
  await cluster.kubectl(...serverSide, ...partOfZonefirst('webhook-configuration'))
  t.equal(await bundles(), before, 'server-side')
})
