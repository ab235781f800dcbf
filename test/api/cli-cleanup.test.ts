// `zonefirst cleanup` on a real API server: what annotator, webhook and certificates wrote goes, what it says before is what
// it does, and what was there before zonefirst is as it was.
import '../cluster/enter.ts'
import type { V1Pod } from '@kubernetes/client-node'
import t from 'tap'
import type { KubeObject } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { zonefirst } from '../scenario/command-line.ts'
import { deployment, ingress, openShop, pod, type Shop, service } from '../scenario/shop.ts'
import { snapshot } from '../scenario/snapshot.ts'
import { installZonefirst, systemNamespace } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())

const list = async <T>(path: string) =>
  (await cluster.kube.request<{ items: T[] }>({ method: 'GET', path })).items

/** Everything that the shop holds, its pods' marks among it. */
async function contents(shop: Shop): Promise<unknown> {
  const pods = await list<V1Pod>(`/api/v1/namespaces/${shop.namespace}/pods`)
  const marks = pods.map(({ metadata }) => [metadata?.name, metadata?.labels, metadata?.annotations ?? {}])
  return { ...(await snapshot(cluster, shop.namespace)), pods: marks.sort() }
}

/** By name, marks, or who has written it; the user's own opt-in doesn't count. */
function isOurs(object: KubeObject): boolean {
  const { name, labels = {}, annotations = {}, managedFields = [] } = object.metadata
  const marks = [...Object.keys(labels), ...Object.keys(annotations)].filter(
    (key) => key.includes('zonefirst.io/') && key !== 'zonefirst.io/enabled',
  )
  const managers = managedFields.map(({ manager = '' }) => manager)
  return (
    [name, ...managers].some((each) => /zonefirst-(annotator|zones)/.test(each ?? '')) || marks.length > 0
  )
}

interface Step {
  kind: string
  target: string
}

async function cleanup(...args: string[]) {
  const { exitCode, out, said } = await zonefirst(cluster, 'cleanup', '--output=json', '--wait=1', ...args)
  const steps = out === '' ? [] : (JSON.parse(out) as { steps: Step[] }).steps
  return { exitCode, steps, said }
}

t.test('nothing of ours is left', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(
    pod('web-a', 'node-a-1'),
    pod('web-b', 'node-b-1'),
    service('web'),
    ingress('web'),
    service('other', { selector: { app: 'nobody' } }),
  )
  await cluster.until('both pods are ready', async () => (await shop.endpoints('web')).length === 2)
  const before = await contents(shop)
  await installZonefirst(cluster)
  await shop.untilServers('web')
  await shop.untilEvent('web', 'ZoneFirst')
  // stamped by the webhook as they are bound
  await shop.apply(deployment('later', 2, ['a', 'b']))
  await cluster.until(
    'it has stamped pods',
    async () =>
      (await shop.pods('app=later')).filter(({ metadata }) => metadata?.labels?.['zonefirst.io/serves'])
        .length === 2,
  )

  const during = await contents(shop)
  t.notSame(during, before)
  const asked = await cleanup()
  t.equal(asked.exitCode, 0)
  t.match(asked.said.at(-1), /Nothing was changed/)
  t.strictSame(await contents(shop), during, 'asking changes nothing')
  t.strictSame(
    asked.steps
      .filter(({ kind }) => kind === 'annotation' || kind === 'zonal-service')
      .map(({ target }) => target),
    ['web', 'web-in-a', 'web-in-b'].map((name) => `Service ${shop.namespace}/${name}`),
    'annotations first',
  )
  t.equal(asked.steps.filter(({ kind }) => kind === 'pod').length, 4)

  const refused = await cleanup('--yes')
  t.equal(refused.exitCode, 2)
  t.match(refused.said.at(-1), /^The annotator runs and would write everything again: .* --stop-annotator/)
  t.strictSame(await contents(shop), during)

  const order: string[] = []
  const done = await cleanup('--yes', '--stop-annotator')
  order.push(...done.said)
  t.equal(done.exitCode, 0)
  const position = (pattern: RegExp) => order.findIndex((line) => pattern.test(line))
  t.ok(position(/stopping the annotator/) < position(/annotations$/), order.join('\n'))
  t.ok(position(/annotations$/) < position(/^waiting 1 s/))
  t.ok(position(/^waiting 1 s/) < position(/zonal Services$/))
  t.ok(position(/zonal Services$/) < position(/pods and records$/))
  t.ok(position(/webhook is still installed/) >= 0)

  await shop.kubectl('delete', 'deployment/later', '--cascade=foreground', '--wait')
  await cluster.until('its pods are gone', async () => (await shop.pods('app=later')).length === 0)
  t.strictSame(await contents(shop), before)
  const paths = [
    '/api/v1/services',
    '/api/v1/events?fieldSelector=source%3Dzonefirst-annotator',
    '/apis/discovery.k8s.io/v1/endpointslices',
    `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases`,
    `/api/v1/namespaces/${systemNamespace}/configmaps`,
    `/api/v1/namespaces/${shop.namespace}/pods`,
  ]
  for (const path of paths) {
    await cluster.until(`nothing of ours is in ${path}`, async () => {
      const left = (await list<KubeObject>(path)).filter(isOurs).map(({ metadata }) => metadata.name)
      if (left.length > 0) throw new Error(left.join(', '))
      return true
    })
    t.pass(path)
  }
  const again = await cleanup('--yes')
  t.equal(again.exitCode, 0)
  t.strictSame(
    again.steps.filter(({ kind }) => kind !== 'record'),
    [],
    'a second time there is nothing to do',
  )
  const unasked = await cleanup()
  t.strictSame(unasked.steps, [])
  t.notMatch(unasked.said.join(), /--yes does it/)
})
