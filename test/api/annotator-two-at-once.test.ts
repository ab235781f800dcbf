// Two annotators at work at once, as while one takes over from another: they write the same. A leader that can't reach the
// API server writes nothing after its time.
import '../cluster/enter.ts'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { leaderKube } from '../../annotator/leader/leader-kube.ts'
import { Election } from '../../annotator/leader/lease.ts'
import { leaseName, leaseStore } from '../../annotator/leader/lease-store.ts'
import type { Kube } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { buildAnnotator, isWrite, noting, startAnnotator } from '../scenario/annotator.ts'
import { ingress, openShop, pod, service } from '../scenario/shop.ts'

const cluster = await startCluster({ zones: ['a', 'b', 'c'] })
t.teardown(() => cluster.stop())
const connect = () => cluster.controlPlane.connectAs('admin')

const pods = (...names: string[]) => names.map((name) => pod(name, `node-${name.split('-')[1]}-1`))

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
    const noted = noting(late, ({ method, path, body }) => {
      const bodies = mine.get(`${method} ${path}`) ?? new Set()
      mine.set(`${method} ${path}`, bodies.add(JSON.stringify(body)))
    })
    const annotator = await startAnnotator(kube, noted, shop.namespace)
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
