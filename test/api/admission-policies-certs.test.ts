// The account of the self-managed certificates on a real API server: of the webhook configuration it may change the
// caBundles, and nothing that would have other objects sent, or these elsewhere.
import '../cluster/enter.ts'
import type { V1MutatingWebhookConfiguration } from '@kubernetes/client-node'
import t from 'tap'
import { jsonPatch } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { actAs } from '../scenario/users.ts'
import { partOfZonefirst } from '../scenario/zonefirst.ts'
import { isDenied } from './policy-cluster.ts'

const cluster = await startCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())
await cluster.kubectl('apply', ...partOfZonefirst('namespace', 'policies', 'webhook-configuration', 'certs'))

const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/zonefirst'
const certs = await actAs(cluster, t, 'system:serviceaccount:zonefirst-system:zonefirst-certs')
const read = () => cluster.kube.request<V1MutatingWebhookConfiguration>({ method: 'GET', path })
const change = (...body: object[]) =>
  certs.request({ method: 'PATCH', path, contentType: jsonPatch, body: body.flat() })

t.test('the program itself writes what it has to', async (t) => {
  await cluster.until('the program has written the caBundles', async () =>
    (await read()).webhooks?.every(({ clientConfig }) => clientConfig.caBundle),
  )
  await cluster.kubectl('-n', 'zonefirst-system', 'scale', 'deployment/zonefirst-certs', '--replicas=0')
  await cluster.until('it is gone', async () => {
    const pods = await cluster.kubectl('-n', 'zonefirst-system', 'get', 'pods', '-o', 'name')
    return pods === ''
  })
  const bundle = (await read()).webhooks?.[1]?.clientConfig.caBundle
  const replaced = { op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: bundle }
  await t.resolves(change(replaced))
})

t.test('the rest is not its to change', async (t) => {
  await cluster.until('the policy is in force', () =>
    change({ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' }).then(() => false, isDenied),
  )
  const bundles = 'may change the caBundles of the webhook configuration alone'
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['secrets'],
  }
  const more = {
    name: 'more.zonefirst.io',
    clientConfig: { url: 'https://elsewhere.test' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    rules: [rule],
  }
  const replace = (field: string, value: unknown) => ({ op: 'replace', path: `/webhooks/0/${field}`, value })
  const rows: [string, object[], string][] = [
    ['another address', [replace('clientConfig', { url: 'https://elsewhere.test' })], bundles],
    ['another Service', [replace('clientConfig/service/namespace', 'default')], bundles],
    ['another path', [replace('clientConfig/service/path', '/other')], bundles],
    ['other objects', [replace('rules', [rule])], bundles],
    ['one kind more', [{ op: 'add', path: '/webhooks/0/rules/-', value: rule }], bundles],
    ['pods that wait for it', [replace('failurePolicy', 'Fail')], bundles],
    ['a long time-out', [replace('timeoutSeconds', 30)], bundles],
    ['all namespaces', [replace('namespaceSelector', {})], bundles],
    ['all pods', [{ op: 'replace', path: '/webhooks/1/objectSelector', value: {} }], bundles],
    ['no conditions', [{ op: 'remove', path: '/webhooks/1/matchConditions' }], bundles],
    ['one webhook more', [{ op: 'add', path: '/webhooks/-', value: more }], bundles],
    ['one less', [{ op: 'remove', path: '/webhooks/1' }], bundles],
    ['another name', [replace('name', 'other.zonefirst.io')], bundles],
    ['a label', [{ op: 'add', path: '/metadata/labels/x', value: 'x' }], 'may not change the metadata'],
    [
      'a finalizer',
      [{ op: 'add', path: '/metadata/finalizers', value: ['x.test/x'] }],
      'may not change the metadata',
    ],
  ]
  const before = await read()
  for (const [name, body, says] of rows) {
    const error = await change(...body).then(
      () => undefined,
      (error) => error as Error,
    )
    t.ok(isDenied(error), name)
    t.match(error?.message, says, name)
  }
  t.strictSame(await read(), before, 'all is as before')
})
