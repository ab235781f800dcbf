// Somebody else on the fields that are the annotator's: it gives way, and says so.
import '../cluster/enter.ts'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { ingress, openShop, pod, type Shop, service } from '../scenario/shop.ts'
import { installZonefirst } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
await installZonefirst(cluster)

const annotation = 'backend.zonefirst.io/servers'

/** As a tool does that owns the whole object; resolves to whether it changed anything. */
async function restore(shop: Shop, round: number): Promise<boolean> {
  const primary = await shop.service('web')
  const { [annotation]: found, ...annotations } = primary.metadata.annotations ?? {}
  await cluster.kube.request({
    method: 'PUT',
    path: `/api/v1/namespaces/${shop.namespace}/services/web`,
    query: { fieldManager: 'gitops' },
    body: {
      ...primary,
      // without a version: whatever was written meanwhile
      metadata: {
        ...primary.metadata,
        resourceVersion: undefined,
        annotations: { ...annotations, round: `${round}` },
      },
    },
  })
  return found !== undefined
}

t.test('a tool that takes the annotation away ten times is told of, and given way', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  const servers = await shop.untilServers('web')
  let removed = 0
  for (let round = 0; round < 10; round += 1) {
    removed += (await restore(shop, round)) ? 1 : 0
    // it comes back at once, or not for seconds
    await cluster
      .until('it is back', async () => (await shop.servers('web')) !== undefined, { timeoutMs: 1_000 })
      .catch(() => {})
  }
  t.equal(removed, 3, 'the first write and the two that follow at once: then it waits')
  const { message } = await shop.untilEvent('web', 'AnnotationRemoved')
  t.match(message, 'this Service is also written by gitops')
  t.equal(await shop.servers('web'), undefined)

  t.strictSame(await shop.untilServers('web'), servers, 'when it stops, the annotation comes back')
  t.match((await shop.service('web')).metadata.annotations, { round: '9' }, 'what others wrote stays')
  t.strictSame(await shop.zonal('web'), ['web-in-a', 'web-in-b'])
  t.strictSame((await shop.events('web')).sort(), ['Normal ZoneFirst', 'Warning AnnotationRemoved'])
})

t.test('what the API server rejects is told once, and nothing loops', async (t) => {
  const shop = await openShop(cluster, t)
  // as an administrator's own policy might
  await cluster.apply([
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'no-headless' },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services'] },
          ],
        },
        validations: [
          { expression: "object.spec.clusterIP != 'None'", message: 'no headless Services here' },
        ],
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'no-headless' },
      spec: {
        policyName: 'no-headless',
        validationActions: ['Deny'],
        matchResources: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': shop.namespace } },
        },
      },
    },
  ])
  t.teardown(() =>
    cluster.kubectl('delete', 'validatingadmissionpolicybinding/no-headless', '--ignore-not-found'),
  )
  await cluster.until('the policy is in force', () =>
    shop.apply(service('probe', { clusterIP: 'None' })).then(
      () => shop.kubectl('delete', 'service/probe').then(() => false),
      () => true,
    ),
  )
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  const { message } = await shop.untilEvent('web', 'WriteRejected')
  t.match(message, 'no headless Services here')
  t.equal(await shop.servers('web'), undefined, 'the annotation is not written before what it names')
  t.strictSame(await shop.events('web'), ['Warning WriteRejected'])
  await cluster.kubectl('delete', 'validatingadmissionpolicybinding/no-headless')
  await shop.untilServers('web')
})
