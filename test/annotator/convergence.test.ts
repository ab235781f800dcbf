// Several Services of one namespace that select the same pods, routed or not: whatever they want of the pods, they come to
// rest, and nobody undoes for ever what another one writes.
import fc from 'fast-check'
import t from 'tap'
import type { Pod, Service } from '../../annotator/objects/objects.ts'
import { haproxytechCustomAnnotation as dialect } from '../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { Reconciler } from '../../annotator/reconcile.ts'
import type { ApiRequest, Kube } from '../../lib/kube.ts'
import { endpoints, ingress, pod, service } from '../fixtures/cluster-objects.ts'
import { clusterView, type FakeView } from '../fixtures/cluster-view.ts'

const zones = ['a', 'b', 'c']
const zoneOfNode = new Map(zones.map((zone) => [`node-${zone}`, zone]))

interface Given {
  pods: { zone: string; serves: string | undefined; ready: boolean; groups: string[] }[]
  /** by group of pods */
  routed: Record<string, boolean>
  shares: number[]
}

const given: fc.Arbitrary<Given> = fc.record({
  pods: fc.array(
    fc.record({
      zone: fc.constantFrom('a', 'a', 'a', 'b', 'c'),
      serves: fc.constantFrom(...zones, undefined),
      ready: fc.constantFrom(true, true, true, false),
      groups: fc.subarray(['web', 'all', 'extra'], { minLength: 1 }),
    }),
    { minLength: 1, maxLength: 9 },
  ),
  routed: fc.record({ web: fc.boolean(), all: fc.boolean(), extra: fc.boolean() }),
  shares: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 3, maxLength: 3 }),
})

function build({ pods, routed, shares }: Given): { view: FakeView; keys: string[] } {
  const names = Object.keys(routed)
  const selecting = (group: string) => ({ [group]: 'yes' })
  const all = pods.map(({ zone, serves, groups }, index) => {
    const labels = Object.assign({ 'zonefirst.io/enabled': 'true' }, ...groups.map(selecting))
    return pod(`pod-${index}`, zone, { serves, labels })
  })
  const podsOf = (group: string, isReady: boolean) =>
    all
      .filter((_, i) => pods[i]?.groups.includes(group) && pods[i]?.ready === isReady)
      .map(({ name }) => name)
  const view = clusterView({
    services: names.map((name) =>
      service({ metadata: { name, namespace: 'shop', uid: name }, spec: { selector: selecting(name) } }),
    ),
    ingresses: names
      .filter((name) => routed[name])
      .map((name) => {
        const backend = { service: { name, port: { number: 80 } } }
        return ingress({ metadata: { name }, spec: { ingressClassName: 'haproxy', defaultBackend: backend } })
      }),
    endpoints: names.map((name) =>
      endpoints(podsOf(name, true), { name, service: name, unreadyPods: podsOf(name, false) }),
    ),
    pods: all,
    zoneOfNode,
  })
  const sum = shares.reduce((total, share) => total + share, 0)
  Object.assign(view, { shares: new Map(zones.map((zone, index) => [zone, (shares[index] ?? 0) / sum])) })
  return { view, keys: names.map((name) => `shop/${name}`) }
}

/** Takes writes as the API server would. */
function takingKube(view: FakeView, onWrite: (request: ApiRequest) => void): Kube {
  let version = 1
  const request = async ({ method, path, body }: ApiRequest) => {
    onWrite({ method, path, body })
    version += 1
    const [, , , , , kind, name = ''] = path.split('/')
    const { metadata, spec } = (body ?? {}) as Service
    if (kind === 'pods') {
      const before = view.pods.get('shop', name) as Pod
      const serves = metadata.labels?.['zonefirst.io/serves'] ?? undefined
      view.putPod({ ...before, serves })
      return {}
    }
    const before = view.services.get('shop', name)
    if (method === 'DELETE') {
      if (before) view.remove(before)
      return {}
    }
    const merged = {
      ...before?.metadata,
      ...metadata,
      annotations: { ...before?.metadata.annotations, ...metadata.annotations },
    }
    const annotations = Object.fromEntries(
      Object.entries(merged.annotations).filter(([, value]) => value !== null),
    )
    const after = {
      metadata: { ...merged, annotations, resourceVersion: String(version) },
      spec: spec ?? before?.spec,
    }
    view.put(after as Service)
    return after
  }
  return { request } as unknown as Kube
}

/** What is still written after several looks at every Service without time between, if anything is, at any of many times. */
async function unrest(of: Given): Promise<string[]> {
  const { view, keys } = build(of)
  let now = 1_000_000
  let writes: string[] = []
  const reconciler = new Reconciler({
    kube: takingKube(view, ({ method, path, body }) =>
      writes.push(`${method} ${path} ${JSON.stringify(body)}`),
    ),
    caches: view,
    dialect,
    dialects: [dialect],
    classRule: { controller: dialect.controller, names: ['haproxy'], withoutClass: false },
    graceTime: 120_000,
    releaseTime: 60_000,
    bound: 1.25,
    answerSize: 8192,
    now: () => now,
    tell: () => {},
    onOutcome: () => {},
  })
  for (let time = 0; time < 15; time += 1) {
    for (let look = 0; look < 5; look += 1) {
      writes = []
      for (const key of keys) await reconciler.reconcile(key)
    }
    if (writes.length > 0) return [`at time ${time}`, ...writes]
    now += time < 3 ? 1_500 : 20_000
  }
  return []
}

t.test('Services on the same pods come to rest', async (t) => {
  await fc.assert(
    fc.asyncProperty(given, async (of) => {
      const writes = await unrest(of)
      if (writes.length > 0) throw new Error(writes.join('\n'))
    }),
    { numRuns: 150 },
  )
  t.pass('all of them')
})
