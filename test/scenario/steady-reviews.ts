// A steady stream of reviews while certificates change: the API server's own, by dry runs of pods and bindings, and
// direct ones that verify what is served against the caBundle of the moment. It counts; what may fail is the caller's.
import { once } from 'node:events'
import https from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { V1MutatingWebhookConfiguration } from '@kubernetes/client-node'
import type { Cluster } from '../cluster/cluster.ts'
import { bindingReview } from '../fixtures/reviews.ts'
import { bind, createPod, podOf, stampOf, webhookPods } from './webhook-cluster.ts'

export interface ReviewCounts {
  /** Reviews that the API server had to ask for: dry runs of pods on a node, and of bindings. */
  asked: number
  /** Direct calls, each on a connection of its own. */
  direct: number
  /** One sentence each: pods that came back unstamped, direct calls that failed, what the API server logged. */
  failures: string[]
}

export interface SteadyReviews {
  readonly counts: ReviewCounts
  /** Can be called again. */
  stop(): Promise<ReviewCounts>
}

const host = 'zonefirst-webhook.zonefirst-system.svc'
const configurationPath = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/zonefirst'
const tickMs = 100
/** The API server keeps 25 idle connections for a webhook: what a burst needs beyond them is opened anew each time. */
const burst = 40
const ticksPerBurst = 20

export async function startReviews(cluster: Cluster): Promise<SteadyReviews> {
  const counts: ReviewCounts = { asked: 0, direct: 0, failures: [] }
  const pending = await createPod(cluster, podOf({ generateName: 'pending-' }))
  const addresses = (await webhookPods(cluster)).map(({ status }) => status?.podIP ?? '')
  const apiServer = cluster.controlPlane.components['kube-apiserver']
  const alreadyLogged = (await apiServer.log()).length
  const stopping = new AbortController()

  const note = (kind: string) => (error: Error) => void counts.failures.push(`${kind}: ${error.message}`)
  const dryRunPod = async () => {
    counts.asked += 1
    const pod = podOf({ name: 'on-a-node' }, { nodeName: 'node-a-1' })
    const { zone } = stampOf(await createPod(cluster, pod, { dryRun: 'All' }))
    if (zone === undefined) throw new Error('came back unstamped')
  }
  const dryRunBinding = async () => {
    counts.asked += 1
    await bind(cluster, pending, { dryRun: true })
  }
  const direct = async (address: string) => {
    counts.direct += 1
    await postDirectly(cluster, address)
  }
  const send = async () => {
    const running = new Set<Promise<void>>()
    const add = (kind: string, call: Promise<void>) => {
      const done: Promise<void> = call.catch(note(kind)).finally(() => running.delete(done))
      running.add(done)
    }
    for (let tick = 0; !stopping.signal.aborted; tick += 1) {
      const pods = tick % ticksPerBurst === 0 ? burst : 1
      for (let pod = 0; pod < pods; pod += 1) add('pod', dryRunPod())
      add('binding', dryRunBinding())
      for (const address of addresses) add(`direct to ${address}`, direct(address))
      await Promise.all([pause(tickMs), running.size > 2 * burst && Promise.race(running)])
    }
    await Promise.all(running)
  }
  const sent = send()

  const stop = async () => {
    stopping.abort()
    await sent
    await cluster.kubectl('-n', 'shop', 'delete', 'pod', pending.metadata?.name ?? '')
    counts.failures.push(...failuresIn((await apiServer.log()).slice(alreadyLogged)))
    return counts
  }
  let stopped: Promise<ReviewCounts> | undefined
  return {
    counts,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Trusts what the API server is to trust at this moment, and nothing else. */
async function postDirectly({ kube }: Cluster, address: string): Promise<void> {
  const { webhooks } = await kube.request<V1MutatingWebhookConfiguration>({
    method: 'GET',
    path: configurationPath,
  })
  const ca = Buffer.from(webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64')
  const request = https.request({
    ...{ host: address, port: 10250, servername: host, ca, agent: false },
    ...{ method: 'POST', path: '/mutate', signal: AbortSignal.timeout(5_000) },
  })
  request.end(JSON.stringify(bindingReview({ target: { kind: 'Machine', name: 'x' } })))
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  if (!text.includes('"allowed":true')) throw new Error(`${response.statusCode} ${text}`)
}

/** Calls to our webhook that the API server gave up, as it logs them. */
function failuresIn(log: string): string[] {
  return log.split('\n').filter((line) => /failing open \w+\.zonefirst\.io/i.test(line))
}
