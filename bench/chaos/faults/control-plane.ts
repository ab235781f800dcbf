// The control plane fails: API server, etcd, scheduler, controller-manager.
import { setTimeout as pause } from 'node:timers/promises'
import { allUp, grow, growFromThree, restart, scaleProgram, shrink } from '../acts.ts'
import type { Fault } from '../fault.ts'
import type { System } from '../system.ts'
import { removeAnnotation } from './annotator.ts'
import { slowness } from './slowness.ts'

const about = 'control plane'
const apiServer = ({ cluster }: System) => cluster.controlPlane.components['kube-apiserver']

async function restartAPIServer(system: System, more: readonly string[] = []): Promise<void> {
  await apiServer(system).stop()
  apiServer(system).start(more)
  await system.cluster.controlPlane.ready()
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

/** Nobody gives pods the label that the webhook couldn't: neither the API server nor the annotator. */
function withoutLabels(
  name: string,
  meanwhile: string,
  { inject, heal }: Pick<Fault, 'inject' | 'heal'>,
): Fault {
  return {
    name: `no-labels-${name}`,
    title: `the annotator down ${meanwhile}, on an API server that copies no labels`,
    about,
    async inject(system) {
      await restartAPIServer(system, ['--feature-gates=PodTopologyLabelsAdmission=false'])
      await scaleProgram(system, 'annotator', 0)
      await inject(system)
    },
    async heal(system) {
      await restartAPIServer(system)
      await allUp(system)
      await heal?.(system)
    },
  }
}

export const controlPlaneFaults: Fault[] = [
  withoutLabels('restart', 'through a rolling restart', { inject: restart }),
  withoutLabels('growth', 'while it is scaled from 3 to 12 pods', { inject: growFromThree, heal: shrink }),
  {
    name: 'api-server-down',
    title: 'the API server down for 60 s',
    about,
    seconds: 60,
    inject: (system) => apiServer(system).stop(),
    async heal(system) {
      apiServer(system).start()
      await system.cluster.controlPlane.ready()
    },
  },
  slowness(
    {
      name: 'api-server-slow',
      title: 'the API server answers after up to 0.8 s, and pods are added',
      about,
    },
    {
      stop: (system) => apiServer(system).pause(),
      resume: (system) => apiServer(system).resume(),
      stoppedMs: 800,
      runningMs: 200,
    },
  ),
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
    async inject(system) {
      await system.cluster.apply(brokenAdmission)
      await pause(2_000)
      await removeAnnotation(system)
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
      await apiServer(system).stop()
      const post = async (path: string, body: object) => {
        const url = `http://127.0.0.1:2379/v3/kv/${path}`
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
        if (!answer.ok) throw new Error(`etcd ${path}: ${await answer.text()}`)
        return answer.json() as Promise<{ header: { revision: string } }>
      }
      const { header } = await post('range', { key: Buffer.from('/').toString('base64') })
      await post('compaction', { revision: header.revision, physical: true })
      apiServer(system).start()
      await system.cluster.controlPlane.ready()
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
