// What the webhook and its configuration survive on a real API server: bad input, being applied anew, being away.
import '../cluster/enter.ts'
import { once } from 'node:events'
import https from 'node:https'
import type { V1Secret } from '@kubernetes/client-node'
import t from 'tap'
import { bindingReview } from '../fixtures/reviews.ts'
import {
  bind,
  createPod,
  getPod,
  podOf,
  stampOf,
  startWebhookCluster,
  unstamped,
  untilServing,
  webhookPods,
} from '../scenario/webhook-cluster.ts'
import { partOfZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startWebhookCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())

const inZoneA = { zone: 'a', key: 'a', serves: 'a' }
let count = 0
const nextName = () => `web-${++count}`

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
  for (const { name, body, status, text } of rows) {
    const answer = await post(body)
    t.equal(answer.status, status, name)
    t.match(answer.text, text, name)
    const pod = await createPod(cluster, podOf({ name: nextName() }))
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

t.test('without the webhook, pods are scheduled, unstamped, and stamped again once it is back', async (t) => {
  const system = (...args: string[]) => cluster.kubectl('-n', 'zonefirst-system', ...args)
  const label = ['-l', 'app.kubernetes.io/name=zonefirst-webhook']
  const replicas = await webhookPods(cluster)
  const ways = [
    {
      name: 'swallows packets',
      take: () => cluster.kubelet.vanish(replicas),
      bringBack: () => cluster.kubelet.restore(replicas),
    },
    {
      name: 'is gone',
      async take() {
        await system('scale', 'deployment/zonefirst-webhook', '--replicas=0')
        // not merely on its way: while it drains, it still answers on connections that are open
        const isGone = async () => (await system('get', 'pods', ...label, '-o', 'name')) === ''
        await cluster.until('the webhook is gone', isGone)
      },
      bringBack: () => system('scale', 'deployment/zonefirst-webhook', '--replicas=2'),
    },
  ]
  for (const { name, take, bringBack } of ways) {
    await take()
    const pods = [1, 2, 3, 4, 5].map(() =>
      podOf({ name: nextName() }, { schedulerName: 'default-scheduler' }),
    )
    for (const pod of pods) await createPod(cluster, pod)
    for (const pod of pods) {
      const isRunning = async () => (await getPod(cluster, pod)).status?.phase === 'Running'
      await cluster.until('the pod runs', isRunning)
      t.strictSame(stampOf(await getPod(cluster, pod)), unstamped, name)
    }
    await bringBack()
    await untilServing(cluster)
    const pod = await createPod(cluster, podOf({ name: nextName() }))
    t.strictSame(stampOf(await bind(cluster, pod)), inZoneA, `${name}: stamped again`)
  }
})
