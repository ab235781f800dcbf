// The informer on a real API server behind a proxy: after every fault its cache is right again, what was deleted in the
// gap is noticed, and it asks at most once a second.
import '../cluster/enter.ts'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { fromKubeconfig } from '../../lib/access.ts'
import { Informer } from '../../lib/informer.ts'
import { registerInformerMetrics } from '../../lib/informer-metrics.ts'
import { connect, type KubeObject } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { apiServerAddress } from '../cluster/network.ts'
import { startTCPProxy } from './tcp-proxy.ts'

const cluster = await startCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())
const path = '/api/v1/namespaces/default/configmaps'

const create = (name: string, labels = {}) =>
  cluster.kube.request({ method: 'POST', path, body: { metadata: { name, labels } } })
const remove = (name: string) => cluster.kube.request({ method: 'DELETE', path: `${path}/${name}` })

/** An informer behind a proxy of its own, once it has its first list; and when it asked for what. */
async function start(t: Test, silenceLimit = 150_000) {
  const proxy = await startTCPProxy({ host: apiServerAddress, port: 443 })
  const access = await fromKubeconfig(cluster.kubeconfig)
  const kube = connect({
    server: `https://127.0.0.1:${proxy.port}`,
    options: async () => ({ ...(await access.options()), servername: 'kubernetes.default.svc' }),
  })
  const asked: number[] = []
  const errors: (Error & { status?: number })[] = []
  const deleted: string[] = []
  const informer = new Informer<string>({
    kube: {
      ...kube,
      stream(request) {
        asked.push(performance.now())
        return kube.stream(request)
      },
    },
    path,
    metadataOnly: true,
    project: ({ metadata }) => metadata.name ?? '',
    onChange: (now, before) => now === undefined && before !== undefined && deleted.push(before),
    onError: (error) => errors.push(error),
    timing: { silenceLimit, mostRetry: 4_000 },
  })
  const registry = new Registry()
  registerInformerMetrics(registry, { configMaps: informer })
  t.teardown(() => {
    informer.stop()
    kube.close()
    proxy.close()
  })
  informer.start()
  await informer.synced()
  return {
    proxy,
    informer,
    errors,
    deleted,
    /** What the metric says, in milliseconds. */
    async lastHeard() {
      const name = 'zonefirst_informer_last_heard_timestamp_seconds'
      const { values } = await (registry.getSingleMetric(name)?.get() ?? { values: [] })
      return (values[0]?.value ?? 0) * 1_000
    },
    /** Resolves when the cache holds what the API server has. */
    async untilRight() {
      await cluster.until('the cache is right', async () => {
        const { items } = await cluster.kube.request<{ items: KubeObject[] }>({ method: 'GET', path })
        const want = items.map(({ metadata }) => metadata.name).sort()
        return JSON.stringify([...informer.values()].sort()) === JSON.stringify(want)
      })
      t.ok(informer.hasSynced, 'ready, since its answers hold')
    },
    checkPace() {
      const gaps = asked.slice(1).map((time, index) => time - (asked[index] ?? 0))
      // a timer may be early by a millisecond
      t.ok(
        gaps.every((gap) => gap > 995),
        `asked at most once a second: ${gaps.map(Math.round)}`,
      )
      return gaps.length
    },
  }
}

t.test('connections that are cut again and again', async (t) => {
  await create('cut-1')
  const { proxy, informer, errors, deleted, untilRight, checkPace } = await start(t)
  await untilRight()
  for (let at = 1; at <= 4; at += 1) {
    const failures = errors.length
    await cluster.until('a connection was cut', () => proxy.cut() > 0)
    await cluster.until('that was noticed', () => errors.length > failures)
    t.ok(informer.hasSynced, 'what was heard before still holds')
  }
  proxy.refuse(true)
  proxy.cut()
  await remove('cut-1')
  await create('cut-2')
  proxy.refuse(false)
  await untilRight()
  t.strictSame(deleted, ['cut-1'], 'what was deleted in the gap is told')
  t.ok(checkPace() >= 4, 'reconnected')
  await remove('cut-2')
})

t.test('an idle connection that is lost without a close', async (t) => {
  await create('idle-1')
  const { proxy, errors, deleted, untilRight, lastHeard, checkPace } = await start(t, 3_000)
  await untilRight()
  proxy.swallow()
  const lostAt = Date.now()
  await remove('idle-1')
  t.ok((await lastHeard()) <= lostAt, 'the metric shows that nothing is heard')
  await untilRight()
  t.strictSame(deleted, ['idle-1'])
  t.match(errors[0]?.message, 'went silent')
  t.ok((await lastHeard()) > lostAt, 'and that it is heard again')
  checkPace()
})

t.test('the API server killed, and started again after etcd was compacted: 410', async (t) => {
  await create('old-1')
  await create('old-2')
  const { proxy, informer, errors, deleted, untilRight, lastHeard, checkPace } = await start(t)
  await untilRight()
  proxy.refuse(true)
  proxy.cut()
  await remove('old-1')
  const last = await create('new-1')
  const { resourceVersion } = (last as KubeObject).metadata
  const { components, ready } = cluster.controlPlane
  await components['kube-apiserver'].stop()
  const killedAt = Date.now()
  const compaction = await fetch('http://127.0.0.1:2379/v3/kv/compaction', {
    method: 'POST',
    body: JSON.stringify({ revision: resourceVersion, physical: true }),
  })
  t.ok(compaction.ok, await compaction.text())
  proxy.refuse(false)
  const failures = errors.length
  await cluster.until('an attempt failed', () => errors.length > failures)
  t.ok(informer.hasSynced)
  t.ok((await lastHeard()) <= killedAt)
  components['kube-apiserver'].start()
  await ready()
  await untilRight()
  t.strictSame(deleted, ['old-1'])
  t.ok(
    errors.some(({ status }) => status === 410),
    `too old: ${errors.map(({ message }) => message)}`,
  )
  t.ok((await lastHeard()) > killedAt)
  await create('new-2')
  await untilRight()
  checkPace()
})
