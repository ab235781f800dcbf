// The controller as a whole, on an API server that takes every write: what no part of it shows by itself. Whole courses on
// a real API server are in test/api.
import t from 'tap'
import { Controller } from '../../annotator/controller.ts'
import { dialects } from '../../annotator/plan/dialects/all.ts'
import type { ApiRequest } from '../../lib/kube.ts'
import { cannedKube } from '../fixtures/canned-kube.ts'
import { ingress, service } from '../fixtures/cluster-objects.ts'

const dialect = dialects['haproxytech-custom-annotation']
const pod = {
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    uid: 'uid-web-1',
    labels: { app: 'web', 'zonefirst.io/enabled': 'true', 'zonefirst.io/serves': 'a' },
    annotations: { 'zonefirst.io/zone': 'a', 'zonefirst.io/zone-key': 'a' },
  },
  spec: { nodeName: 'node-a' },
}
const slice = {
  metadata: { name: 'web-abc', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
  endpoints: [{ conditions: { ready: true }, targetRef: { kind: 'Pod', name: 'web-1' } }],
  ports: [{ name: 'http', port: 8080 }],
}
const cluster = {
  '/api/v1/services': [service()],
  '/api/v1/pods': [pod],
  '/api/v1/nodes': [{ metadata: { name: 'node-a', labels: { 'topology.kubernetes.io/zone': 'a' } } }],
  '/apis/networking.k8s.io/v1/ingresses': [ingress()],
  '/apis/discovery.k8s.io/v1/endpointslices': [slice],
}

t.test('a clock that is set back delays nothing', async (t) => {
  const annotated = Promise.withResolvers<void>()
  const dateNow = Date.now
  let setBack = 0
  Date.now = () => dateNow() - setBack
  const kube = cannedKube(cluster)
  const writing = {
    ...kube,
    async request<T>(request: ApiRequest): Promise<T> {
      // the first look has been, and its time is known
      setBack = 3_600_000
      if (request.path.endsWith('/services/web')) annotated.resolve()
      return kube.request<T>(request)
    },
  }
  const nothing = () => {}
  const controller = new Controller({
    reading: kube,
    writing,
    dialect,
    dialects: Object.values(dialects),
    classRule: { controller: dialect.controller, names: ['haproxy'], withoutClass: false },
    graceTime: 120_000,
    releaseTime: 60_000,
    bound: 1.25,
    answerSize: 8192,
    zoneShares: new Map(),
    statsPort: 0,
    effectInterval: 60_000,
    workers: 1,
    namespace: 'zonefirst-system',
    onBackfill: nothing,
    onOutcome: nothing,
    onEvent: nothing,
    onEventFailure: (_event, error) => t.fail(error.message),
    onInformerFailure: (error) => t.fail(error.message),
    onFailure: (_key, error) => t.fail(error.message),
  })
  t.teardown(async () => {
    Date.now = dateNow
    await controller.stopWork()
    controller.caches.stop()
  })
  await controller.caches.start()
  controller.startWork()
  await annotated.promise
})
