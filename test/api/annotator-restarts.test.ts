// The annotator ends at any of its writes and starts anew: the state that it comes to is the same. Two at once write the
// same. A leader that can't reach the API server writes nothing after its time.
import '../cluster/enter.ts'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { leaderKube } from '../../annotator/leader/leader-kube.ts'
import { Election } from '../../annotator/leader/lease.ts'
import { leaseName, leaseStore } from '../../annotator/leader/lease-store.ts'
import type { ApiRequest, Kube } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { buildAnnotator, isWrite, mortal, startAnnotator } from '../scenario/annotator.ts'
import { ingress, openShop, pod, type Shop, service } from '../scenario/shop.ts'

const zones = ['a', 'b', 'c']
const cluster = await startCluster({ zones })
t.teardown(() => cluster.stop())
const connect = () => cluster.controlPlane.connectAs('admin')

const pods = (...names: string[]) => names.map((name) => pod(name, `node-${name.split('-')[1]}-1`))
const foreign = ['web-in-x', 'other']

/** Counts what is written by it. */
function counting(kube: Kube, onWrite: (request: ApiRequest) => void): Kube {
  return {
    ...kube,
    request(request) {
      if (isWrite(request)) onWrite(request)
      return kube.request(request)
    },
  }
}

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
      counting(firstKube, () => writes++),
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

t.test('two at once write the same bytes, and then nothing', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(...pods('web-a', 'web-b', 'web-c'), service('web'))
  await cluster.until('the pods are ready', async () => (await shop.endpoints('web')).length === 3)
  const written = [0, 1].map(() => new Map<string, Set<string>>())
  for (const mine of written) {
    const kube = connect()
    const late: Kube = {
      ...kube,
      async request(request) {
        // both have decided before either's writes are seen
        if (isWrite(request)) await pause(300)
        return kube.request(request)
      },
    }
    const noting = counting(late, ({ method, path, body }) => {
      const bodies = mine.get(`${method} ${path}`) ?? new Set()
      mine.set(`${method} ${path}`, bodies.add(JSON.stringify(body)))
    })
    const annotator = await startAnnotator(kube, noting, shop.namespace)
    t.teardown(async () => {
      annotator.caches.stop()
      await annotator.stopWork()
    })
  }
  await shop.apply(ingress('web'))
  await shop.untilServers('web')
  await shop.untilCaughtUp('node-a-1')
  const [one, other] = written.map(
    (mine) => new Map([...mine].filter(([path]) => /services\/web(-in-\w)?$/.test(path))),
  ) as [Map<string, Set<string>>, Map<string, Set<string>>]
  const paths = new Set([...one.keys(), ...other.keys()])
  t.strictSame([...paths].map((path) => path.split('/').at(-1)).sort(), [
    'web',
    'web-in-a',
    'web-in-b',
    'web-in-c',
  ])
  for (const path of paths) {
    const bodies = new Set([...(one.get(path) ?? []), ...(other.get(path) ?? [])])
    t.equal(bodies.size, 1, `${path.split('/').at(-1)}: whoever wrote it, and however often`)
  }
  // the later one may see what the first one wrote, but not from the beginning on
  t.ok([...one.keys()].filter((path) => other.has(path)).length > 0, 'some of it both have written')
  const versions = await shop.versions('web')
  await shop.untilCaughtUp('node-a-1')
  t.strictSame(await shop.versions('web'), versions, 'neither undoes what the other one wrote')
})

t.test('a leader without the API server for 20 s writes nothing after its deadline', async (t) => {
  const shop = await openShop(cluster, t)
  const timing = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 }
  const stand = (identity: string) => {
    const kube = connect()
    const sent: number[] = []
    const asked: number[] = []
    let isCut = false
    const way: Kube = {
      ...kube,
      async request(request) {
        if (isWrite(request)) asked.push(performance.now())
        // as packets that are dropped: nothing is heard, and nothing arrives
        if (isCut) await pause(30_000, undefined, request.signal ? { signal: request.signal } : {})
        if (isWrite(request)) sent.push(performance.now())
        return kube.request(request)
      },
    }
    const election = new Election({
      store: leaseStore(way, shop.namespace, leaseName),
      identity,
      timing,
      onGain: () => annotator.startWork(),
      // whatever is still at work: it is the fence that has to hold
      onLoss() {},
      onError() {},
    })
    const annotator = buildAnnotator(kube, leaderKube(way, election), shop.namespace)
    t.teardown(async () => {
      annotator.caches.stop()
      await Promise.all([annotator.stopWork(), election.stop()])
    })
    const setCut = (cut: boolean) => {
      isCut = cut
    }
    return { election, annotator, sent, asked, setCut }
  }
  const [old, next] = [stand('old'), stand('next')]
  await Promise.all([old.annotator.caches.start(), next.annotator.caches.start()])
  old.election.start()
  await cluster.until('the first one leads', () => old.election.isLeader)
  next.election.start()
  await shop.apply(...pods('web-a', 'web-b'), service('web'), ingress('web'))
  await shop.untilServers('web')

  const cutAt = performance.now()
  old.setCut(true)
  await shop.kubectl('delete', 'service/web-in-a')
  await cluster.until('the old one leads no more', () => !old.election.isLeader)
  t.equal(next.election.isLeader, false, 'nobody leads meanwhile')
  await cluster.until('the other one leads', () => next.election.isLeader)
  await cluster.until('what was missing is there', () => shop.service('web-in-a'))
  await pause(Math.max(cutAt + 20_000 - performance.now(), 0))
  old.setCut(false)
  await shop.kubectl('delete', 'service/web-in-b')
  await cluster.until('what was missing is there', () => shop.service('web-in-b'))
  await shop.untilCaughtUp('node-a-1')
  t.strictSame(
    old.sent.filter((at) => at > cutAt),
    [],
    'the old one has written nothing since',
  )
  t.ok(
    old.asked.some((at) => at > cutAt),
    'though it wanted to',
  )
  t.equal(old.election.isLeader, false)
})
