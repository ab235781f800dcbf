// The annotator ends at any of its writes and starts anew: the state that it comes to is the same.
import '../cluster/enter.ts'
import t, { type Test } from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { buildAnnotator, mortal, noting, startAnnotator } from '../scenario/annotator.ts'
import { ingress, openShop, pod, type Shop, service } from '../scenario/shop.ts'

const cluster = await startCluster({ zones: ['a', 'b', 'c'] })
t.teardown(() => cluster.stop())
const connect = () => cluster.controlPlane.connectAs('admin')

const pods = (...names: string[]) => names.map((name) => pod(name, `node-${name.split('-')[1]}-1`))
const foreign = ['web-in-x', 'other']

/** What of a namespace the annotator decides about, whatever the namespace is called. */
async function stateOf(shop: Shop): Promise<unknown> {
  const services = (await shop.services()).map(({ metadata, spec }) => {
    const { name = '', labels, annotations, ownerReferences = [] } = metadata
    const { 'kubectl.kubernetes.io/last-applied-configuration': _kubectl, ...rest } = annotations ?? {}
    const owners = ownerReferences.map(({ uid: _uid, ...owner }) => owner)
    const { selector, ports, ipFamilies } = spec ?? {}
    return [name, { labels, annotations: rest, owners, selector, ports, ipFamilies }]
  })
  const stamps = (await shop.pods('app=web')).map(({ metadata }) => {
    const { annotations = {}, labels } = metadata ?? {}
    const { 'kubectl.kubernetes.io/last-applied-configuration': _kubectl, ...rest } = annotations
    return [metadata?.name, { labels, annotations: rest }]
  })
  const text = JSON.stringify({ services: Object.fromEntries(services), stamps: Object.fromEntries(stamps) })
  return JSON.parse(text.replaceAll(shop.namespace, 'shop'))
}

interface Run {
  writes: number
  died: boolean
  routed: unknown
  letGo: unknown
  touched: string[]
}

/** Routed in several zones, with more pods than slots, and let go again, by an annotator that ends after `limit` writes. */
async function live(t: Test, limit: number): Promise<Run> {
  const shop = await openShop(cluster, t)
  let writes = 0
  const died = Promise.withResolvers<true>()
  const firstKube = connect()
  const first = buildAnnotator(
    firstKube,
    mortal(
      noting(firstKube, () => writes++),
      limit,
      () => died.resolve(true),
    ),
    shop.namespace,
  )
  const running = [first]
  const stop = async () => {
    for (const each of running) each.caches.stop()
    await Promise.all(running.map((each) => each.stopWork()))
  }
  t.teardown(stop)
  await shop.apply(
    ...pods('web-a', 'web-b'),
    service('web'),
    service('web-in-x', { selector: { app: 'elsewhere' } }),
    service('other', { selector: { app: 'elsewhere' } }),
  )
  const endpoints = (count: number) =>
    cluster.until('the pods are ready', async () => (await shop.endpoints('web')).length === count, {
      timeoutMs: 60_000,
    })
  await endpoints(2)
  const versions = async () => {
    const found = await Promise.all(foreign.map((name) => shop.service(name)))
    return found.map(({ metadata }) => metadata.resourceVersion)
  }
  const before = await versions()
  await first.caches.start()
  first.startWork()
  let hasDied = false
  void died.promise.then(async () => {
    hasDied = true
    first.caches.stop()
    await first.stopWork()
    const kube = connect()
    running.push(await startAnnotator(kube, kube, shop.namespace))
  })

  await shop.apply(ingress('web'))
  const { slots } = await shop.untilServers('web')
  await shop.apply(...pods('web-a-2', 'web-b-2', 'web-c', 'web-c-2', 'web-c-3', 'web-c-4'))
  await endpoints(8)
  await shop.untilServers('web', (servers) => servers.slots > slots)
  await cluster.until('all is stamped', async () => {
    const found = await shop.pods('app=web')
    return found.every(({ metadata }) => metadata?.labels?.['zonefirst.io/serves'] !== undefined)
  })
  const routed = await stateOf(shop)

  await shop.kubectl('label', 'service/web', 'zonefirst.io/enabled=false')
  await cluster.until('it is let go', async () => {
    return (await shop.servers('web')) === undefined && (await shop.zonal('web')).length === 0
  })
  const letGo = await stateOf(shop)
  const after = await versions()
  const touched = foreign.filter((_name, index) => before[index] !== after[index])
  await stop()
  // the cluster has more to do
  await cluster.kubectl('delete', 'namespace', shop.namespace, '--wait=false')
  return { writes, died: hasDied, routed, letGo, touched }
}

t.test('it may end after any write', async (t) => {
  const whole = await live(t, Number.POSITIVE_INFINITY)
  t.ok(whole.writes >= 10, `${whole.writes} writes`)
  t.strictSame(whole.touched, [])
  const limits = Array.from({ length: whole.writes }, (_, index) => index + 1)
  let deaths = 0
  t.comment(`${whole.writes} writes`)
  for (let at = 0; at < limits.length; at += 7) {
    const batch = limits.slice(at, at + 7)
    const runs = await Promise.all(batch.map((limit) => live(t, limit)))
    for (const [index, run] of runs.entries()) {
      const name = `ended after write ${batch[index]}`
      t.strictSame(run.routed, whole.routed, `${name}: routed`)
      t.strictSame(run.letGo, whole.letGo, `${name}: let go`)
      t.strictSame(run.touched, [], `${name}: nothing foreign is touched`)
      deaths += run.died ? 1 : 0
    }
  }
  // how many writes it takes depends on how pods become ready
  t.ok(deaths >= whole.writes - 4, `${deaths} of ${whole.writes} runs were cut short`)
})
