// The annotator fails, or there are too many of it, while there is something for it to write.
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Deployment } from '@kubernetes/client-node'
import { leaseName } from '../../../annotator/leader/lease-store.ts'
import { serversAnnotation } from '../../../lib/names.ts'
import { systemNamespace } from '../../../test/scenario/zonefirst.ts'
import { grow, pick, processesOf, processOfPod, programPods, shrink, signal } from '../acts.ts'
import type { Fault } from '../fault.ts'
import { withZonefirst } from '../sides.ts'
import type { System } from '../system.ts'

const about = 'zonefirst'
const second = 'chaos-second'
const inSystem = ({ cluster }: System, ...args: string[]) => cluster.kubectl('-n', systemNamespace, ...args)

/** Something that the annotator has to put right. */
export async function removeAnnotation({ cluster }: System): Promise<void> {
  await cluster.kubectl('-n', withZonefirst.namespace, 'annotate', 'service/web', `${serversAnnotation}-`)
}

export const annotatorFaults: Fault[] = [
  {
    name: 'annotator-killed-50-times',
    title: 'the annotator killed 50 times at random, and somebody removes the annotation meanwhile',
    about,
    async inject(system) {
      for (let time = 1; time <= 50; time++) {
        const pods = programPods(system, 'annotator').filter(({ isLeaving }) => !isLeaving)
        if (time === 25) await removeAnnotation(system)
        if (pods.length > 0) {
          const { name } = pick(system, pods)
          await inSystem(system, 'delete', 'pod', name, '--force', '--grace-period=0', '--wait=false')
        }
        await pause(system.random() * 1_000)
      }
    },
  },
  {
    name: 'annotator-hung',
    title: 'the leading annotator hangs for 20 s, and somebody removes the annotation',
    about,
    seconds: 20,
    async inject(system) {
      const lease = JSON.parse(await inSystem(system, 'get', 'lease', leaseName, '-o', 'json'))
      signal(processOfPod(lease.spec.holderIdentity), 'SIGSTOP')
      await removeAnnotation(system)
    },
    heal: async () => signal(processesOf('annotator'), 'SIGCONT'),
  },
  {
    name: 'lease-stolen',
    title: 'the annotator’s Lease is somebody else’s for 10 s, and somebody removes the annotation',
    about,
    async inject(system) {
      for (let time = 0; time < 5; time++) {
        const renewTime = new Date().toISOString().replace('Z', '000Z')
        const patch = JSON.stringify({ spec: { holderIdentity: 'thief', renewTime } })
        await inSystem(system, 'patch', 'lease', leaseName, '--type=merge', '-p', patch)
        if (time === 0) await removeAnnotation(system)
        await pause(2_000)
      }
    },
  },
  {
    name: 'two-annotators',
    title: 'two annotators work at once, each with a Lease of its own, and pods are added',
    about,
    async inject(system) {
      const { cluster } = system
      const path = `/apis/apps/v1/namespaces/${systemNamespace}/deployments/zonefirst-annotator`
      const first = await cluster.kube.request<V1Deployment>({ method: 'GET', path })
      await cluster.apply([...secondsRights(), copyOf(first)])
      await inSystem(system, 'rollout', 'status', `deployment/${second}`, '--timeout=60s')
      // until it leads as well
      await cluster.until('the second one leads', () =>
        cluster.kubectl('-n', second, 'get', 'lease', leaseName),
      )
      await removeAnnotation(system)
      await grow(system)
    },
    async heal(system) {
      await inSystem(system, 'delete', '--ignore-not-found', `deployment/${second}`)
      await system.cluster.kubectl('delete', '--ignore-not-found', `namespace/${second}`)
      await shrink(system)
    },
  },
]

function copyOf({ spec }: V1Deployment): object {
  const labels = { 'app.kubernetes.io/name': second }
  const pod = spec?.template.spec
  const [container] = pod?.containers ?? []
  const env = (container?.env ?? []).filter(({ name }) => name !== 'ZONEFIRST_NAMESPACE')
  const changed = { ...container, env: [...env, { name: 'ZONEFIRST_NAMESPACE', value: second }] }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: second, namespace: systemNamespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { ...pod, topologySpreadConstraints: [], containers: [changed] },
      },
    },
  }
}

/** Where its Lease is: in a namespace of its own, so that it doesn't know of the first one. */
function secondsRights(): object[] {
  const rbac = 'rbac.authorization.k8s.io'
  const metadata = { name: second, namespace: second }
  const rule = { apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'], verbs: ['*'] }
  const account = { kind: 'ServiceAccount', name: 'zonefirst-annotator', namespace: systemNamespace }
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: second } },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: [rule] },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: second },
      subjects: [account],
    },
  ]
}
