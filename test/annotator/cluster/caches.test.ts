import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Caches } from '../../../annotator/cluster/caches.ts'
import type { ApiRequest } from '../../../lib/kube.ts'

const stamped = (zone: string) => ({ 'zonefirst.io/zone': zone, 'zonefirst.io/zone-key': zone })

function webPod(name: string, zone: string, changes: object = {}, status: object = {}) {
  return {
    metadata: {
      namespace: 'shop',
      name,
      uid: name,
      labels: { app: 'web', 'zonefirst.io/enabled': 'true', 'zonefirst.io/serves': zone },
      annotations: { ...stamped(zone), ...changes },
    },
    spec: { nodeName: `node-${zone}` },
    status,
  }
}

function proxy(name: string, zone: string, ready: 'True' | 'False') {
  return {
    metadata: {
      namespace: 'ingress',
      name,
      uid: name,
      labels: { 'zonefirst.io/enabled': 'true', 'zonefirst.io/role': 'proxy', 'zonefirst.io/serves': zone },
      annotations: stamped(zone),
    },
    spec: { nodeName: `node-${zone}` },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }
}

const node = (name: string, zone: string) => ({
  metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
})
const web = {
  metadata: { namespace: 'shop', name: 'web', uid: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
}

/** Caches whose watches the test plays. */
async function start(t: Test) {
  const watches = new Map<string, { request: ApiRequest; stream: Readable }>()
  const send = (path: string, type: string, ...objects: object[]) => {
    const lines = objects.map((object) => `${JSON.stringify({ type, object })}\n`)
    watches.get(path)?.stream.push(lines.join(''))
  }
  const enqueued: string[] = []
  const caches = new Caches({
    kube: {
      request: () => Promise.reject(new Error('nothing is asked but watches')),
      async stream(request) {
        const stream = new Readable({ read() {} })
        watches.set(request.path, { request, stream })
        request.signal?.addEventListener('abort', () => stream.destroy(), { once: true })
        return Object.assign(stream, { statusCode: 200 }) as unknown as IncomingMessage
      },
      close() {},
    },
    enqueue: (key) => enqueued.push(key),
    enqueuePod: () => {},
    isRouted: () => false,
    configuredShares: new Map(),
    onZones: () => {},
    onError: (error) => t.fail(error.message),
  })
  t.teardown(() => caches.stop())
  const synced = caches.start()
  await turn()
  const filled: Record<string, object[]> = {
    '/api/v1/services': [web],
    '/api/v1/nodes': [node('node-a', 'a'), node('node-b', 'b')],
    '/api/v1/pods': [webPod('web-1', 'a'), webPod('web-2', 'b'), proxy('proxy-1', 'a', 'True')],
  }
  const annotations = { 'k8s.io/initial-events-end': 'true' }
  for (const path of watches.keys()) {
    send(path, 'ADDED', ...(filled[path] ?? []))
    send(path, 'BOOKMARK', { metadata: { resourceVersion: '7', annotations } })
  }
  await synced
  enqueued.length = 0
  return {
    caches,
    watches,
    /** The keys that were named by what came. */
    async told(path: string, type: string, object: object): Promise<string[]> {
      send(path, type, object)
      await turn()
      await turn()
      return enqueued.splice(0)
    },
  }
}

t.test('EndpointSlices of zonal Services are not even read', async (t) => {
  const { watches } = await start(t)
  const watch = watches.get('/apis/discovery.k8s.io/v1/endpointslices')
  t.equal(watch?.request.query?.labelSelector, '!zonefirst.io/zonal-service')
})

t.test('a pod’s change names its Service, and only where it may matter', async (t) => {
  const { told } = await start(t)
  t.strictSame(await told('/api/v1/pods', 'MODIFIED', webPod('web-1', 'a', { note: 'new' })), [])
  const ended = webPod('web-1', 'a', {}, { phase: 'Failed' })
  t.strictSame([...new Set(await told('/api/v1/pods', 'MODIFIED', ended))], ['shop/web'])
})

t.test('a Node names the Services of its own pods', async (t) => {
  const { caches, told } = await start(t)
  t.strictSame(await told('/api/v1/nodes', 'ADDED', node('node-c', 'a')), [])
  const values = t.capture(caches.pods, 'values')
  const keys = await told('/api/v1/nodes', 'MODIFIED', node('node-a', 'b'))
  t.ok(keys.includes('shop/web'))
  t.equal(values().length, 0, 'not every pod was looked at')
})

t.test('shares are those of today, and the same object as long as they are', async (t) => {
  const { caches, told } = await start(t)
  const { shares } = caches
  t.strictSame(shares, new Map([['a', 1]]))
  t.equal(caches.shares, shares)
  await told('/api/v1/pods', 'MODIFIED', webPod('web-1', 'a', {}, { phase: 'Failed' }))
  t.equal(caches.shares, shares, 'no proxy')
  await told('/api/v1/pods', 'ADDED', proxy('proxy-2', 'b', 'True'))
  t.strictSame(
    caches.shares,
    new Map([
      ['a', 0.5],
      ['b', 0.5],
    ]),
  )
  await told('/api/v1/nodes', 'MODIFIED', node('node-b', 'a'))
  t.strictSame(caches.shares, new Map([['a', 1]]), 'a Node’s zone changed')
  await told('/api/v1/pods', 'MODIFIED', proxy('proxy-1', 'a', 'False'))
  await told('/api/v1/pods', 'MODIFIED', proxy('proxy-2', 'b', 'False'))
  t.equal(caches.shares, undefined)
})
