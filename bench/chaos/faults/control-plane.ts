// The control plane fails: API server, etcd, scheduler, controller-manager.
import { setTimeout as pause } from 'node:timers/promises'
import { allUp, grow, growFromThree, restart, scaleProgram, shrink, slowDown } from '../acts.ts'
import type { Fault } from '../fault.ts'
import { withZonefirst } from '../sides.ts'
import type { System } from '../system.ts'

const about = 'control plane'
let slowness: { end: AbortController; done: Promise<void> } | undefined

async function restartAPIServer({ cluster }: System, more: readonly string[] = []): Promise<void> {
  const { components, ready } = cluster.controlPlane
  await components['kube-apiserver'].stop()
  components['kube-apiserver'].start(more)
  await ready()
}

/** A service account's requests are refused by the API server itself: it gets no share of what it serves at once. */
const noShare = [
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'chaos' },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 0,
        lendablePercent: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Reject' },
      },
    },
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: 'chaos' },
    spec: {
      matchingPrecedence: 10,
      priorityLevelConfiguration: { name: 'chaos' },
      rules: [
        {
          subjects: ['annotator', 'webhook', 'certs'].map((name) => ({
            kind: 'ServiceAccount',
            serviceAccount: { name: `zonefirst-${name}`, namespace: 'zonefirst-system' },
          })),
          resourceRules: [
            { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
          ],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    },
  },
]

/** Nobody listens at its address, and it may not be passed over: what it is asked about is answered 500. */
const brokenAdmission = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'chaos' },
  webhooks: [
    {
      name: 'chaos.zonefirst.test',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      timeoutSeconds: 1,
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['services', 'pods'] }],
      matchConditions: [
        {
          name: 'zonefirst',
          expression: "request.userInfo.username.startsWith('system:serviceaccount:zonefirst-system:')",
        },
      ],
    },
  ],
}

export const controlPlaneFaults: Fault[] = [
  {
    name: 'no-labels-restart',
    title: 'the annotator down through a rolling restart, on an API server that copies no labels',
    about,
    async inject(system) {
      await restartAPIServer(system, ['--feature-gates=PodTopologyLabelsAdmission=false'])
      await scaleProgram(system, 'annotator', 0)
      await restart(system)
    },
    async heal(system) {
      await restartAPIServer(system)
      await allUp(system)
    },
  },
  {
    name: 'no-labels-growth',
    title: 'the annotator down while it is scaled from 3 to 12 pods, on an API server that copies no labels',
    about,
    async inject(system) {
      await restartAPIServer(system, ['--feature-gates=PodTopologyLabelsAdmission=false'])
      await scaleProgram(system, 'annotator', 0)
      await growFromThree(system)
    },
    async heal(system) {
      await restartAPIServer(system)
      await allUp(system)
      await shrink(system)
    },
  },
  {
    name: 'api-server-down',
    title: 'the API server down for 60 s',
    about,
    seconds: 60,
    inject: ({ cluster }) => cluster.controlPlane.components['kube-apiserver'].stop(),
    async heal({ cluster }) {
      cluster.controlPlane.components['kube-apiserver'].start()
      await cluster.controlPlane.ready()
    },
  },
  {
    name: 'api-server-slow',
    title: 'the API server answers after up to 0.8 s, and pods are added',
    about,
    async inject(system) {
      const server = system.cluster.controlPlane.components['kube-apiserver']
      const end = new AbortController()
      const turns = { stoppedMs: 800, runningMs: 200, end: end.signal }
      slowness = {
        end,
        done: slowDown({ stop: () => server.pause(), resume: () => server.resume() }, turns),
      }
      await grow(system)
    },
    async heal(system) {
      slowness?.end.abort()
      await slowness?.done
      await shrink(system)
    },
  },
  {
    name: 'api-server-429',
    title: 'the API server answers 429 to all of zonefirst, which is restarted meanwhile, and pods are added',
    about,
    async inject(system) {
      await system.cluster.apply(noShare)
      await pause(2_000)
      const names = ['annotator', 'webhook'].map((name) => `app.kubernetes.io/name=zonefirst-${name}`)
      for (const selector of names) {
        const quickly = ['--force', '--grace-period=0', '--wait=false']
        await system.cluster.kubectl('-n', 'zonefirst-system', 'delete', 'pod', '-l', selector, ...quickly)
      }
      await grow(system)
    },
    async heal(system) {
      const objects = ['flowschema/chaos', 'prioritylevelconfiguration/chaos']
      await system.cluster.kubectl('delete', '--ignore-not-found', ...objects)
      await shrink(system)
    },
  },
  {
    name: 'api-server-500',
    title: 'the API server answers 500 to each of zonefirst’s writes, and somebody removes the annotation',
    about,
    seconds: 10,
    async inject({ cluster }) {
      await cluster.apply(brokenAdmission)
      await pause(2_000)
      const { namespace } = withZonefirst
      await cluster.kubectl('-n', namespace, 'annotate', 'service/web', 'backend.zonefirst.io/servers-')
    },
    async heal({ cluster }) {
      const object = 'validatingwebhookconfiguration/chaos'
      await cluster.kubectl('delete', '--ignore-not-found', object)
    },
  },
  {
    name: 'api-server-410',
    title: 'the API server killed, etcd compacted, and started again: all watches have to begin anew',
    about,
    async inject(system) {
      const { components, ready } = system.cluster.controlPlane
      await components['kube-apiserver'].stop()
      const post = async (path: string, body: object) => {
        const url = `http://127.0.0.1:2379/v3/kv/${path}`
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
        if (!answer.ok) throw new Error(`etcd ${path}: ${await answer.text()}`)
        return answer.json() as Promise<{ header: { revision: string } }>
      }
      const { header } = await post('range', { key: Buffer.from('/').toString('base64') })
      await post('compaction', { revision: header.revision, physical: true })
      components['kube-apiserver'].start()
      await ready()
      await grow(system)
    },
    heal: shrink,
  },
  {
    name: 'etcd-killed',
    title: 'etcd killed, and back after 10 s',
    about,
    seconds: 10,
    inject: ({ cluster }) => cluster.controlPlane.components.etcd.stop(),
    async heal({ cluster }) {
      cluster.controlPlane.components.etcd.start()
      await cluster.controlPlane.ready()
    },
  },
  {
    name: 'schedulers-restarted',
    title: 'scheduler and controller-manager killed, pods are asked for, and both started again after 5 s',
    about,
    async inject(system) {
      const { components } = system.cluster.controlPlane
      const both = [components['kube-scheduler'], components['kube-controller-manager']]
      for (const component of both) await component.stop()
      const growing = grow(system)
      growing.catch(() => {})
      await pause(5_000)
      for (const component of both) component.start()
      await growing
    },
    heal: shrink,
  },
]
