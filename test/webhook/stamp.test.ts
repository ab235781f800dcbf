import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import jsonpatch from 'fast-json-patch'
import t from 'tap'
import { type JsonObject, parseReview } from '../../webhook/review.ts'
import { examine, stamp } from '../../webhook/stamp.ts'
import { deepFreeze } from '../fixtures/freeze.ts'
import { bindingReview, podReview, podUid } from '../fixtures/reviews.ts'

const requestOf = (review: object) => deepFreeze(parseReview(JSON.stringify(review)))
const change = (review: { request: object }, request: object) => ({
  ...review,
  request: { ...review.request, ...request },
})

t.test('what a review is about', async (t) => {
  const pod = { namespace: 'shop', name: 'web-1', uid: podUid }
  const rows = [
    {
      name: 'a binding: pod and zone have to be looked up',
      review: bindingReview(),
      want: { candidate: { pod, nodeName: 'node-a-1', zone: undefined } },
    },
    {
      name: 'a binding that the API server labelled: its zone holds',
      review: bindingReview({ metadata: { labels: { 'topology.kubernetes.io/zone': 'eu-1a' } } }),
      want: { candidate: { pod, nodeName: 'node-a-1', zone: 'eu-1a' } },
    },
    {
      name: 'a legacy binding has its name in the object',
      review: bindingReview({ resource: 'bindings' }),
      want: { candidate: { pod, nodeName: 'node-a-1', zone: undefined } },
    },
    {
      name: 'a target without kind is a Node',
      review: bindingReview({ target: { name: 'node-a-1' } }),
      want: { candidate: { pod, nodeName: 'node-a-1', zone: undefined } },
    },
    {
      name: 'a binding to something else',
      review: bindingReview({ target: { kind: 'Machine', name: 'node-a-1' } }),
      want: { reason: 'target-not-a-node' },
    },
    { name: 'an empty target', review: bindingReview({ target: {} }), want: { reason: 'no-target' } },
    { name: 'a null target', review: bindingReview({ target: null }), want: { reason: 'no-target' } },
    {
      name: 'a pod with nodeName shows by itself that it opted in',
      review: podReview({ nodeName: 'node-a-1' }),
      want: { candidate: { pod: undefined, nodeName: 'node-a-1', zone: undefined } },
    },
    {
      name: 'topology labels on a pod are no evidence',
      review: podReview({
        nodeName: 'node-a-1',
        metadata: { labels: { 'zonefirst.io/enabled': 'true', 'topology.kubernetes.io/zone': 'wrong' } },
      }),
      want: { candidate: { pod: undefined, nodeName: 'node-a-1', zone: undefined } },
    },
    { name: 'a pod without nodeName', review: podReview(), want: { reason: 'not-bound' } },
    {
      name: 'a pod that did not opt in',
      review: podReview({ nodeName: 'node-a-1', metadata: { labels: {} } }),
      want: { reason: 'not-opted-in' },
    },
    {
      name: 'opting in takes the value "true"',
      review: podReview({ nodeName: 'node-a-1', metadata: { labels: { 'zonefirst.io/enabled': 'false' } } }),
      want: { reason: 'not-opted-in' },
    },
    {
      name: 'a mirror pod',
      review: podReview({
        nodeName: 'node-a-1',
        metadata: {
          labels: { 'zonefirst.io/enabled': 'true' },
          annotations: { 'kubernetes.io/config.mirror': 'hash' },
        },
      }),
      want: { reason: 'mirror-pod' },
    },
    {
      name: 'an update',
      review: change(podReview(), { operation: 'UPDATE' }),
      want: { reason: 'not-watched' },
    },
    {
      name: 'pods of another group',
      review: change(podReview(), { resource: { group: 'metrics.k8s.io', version: 'v1', resource: 'pods' } }),
      want: { reason: 'not-watched' },
    },
    {
      name: 'another subresource',
      review: change(podReview(), { subResource: 'eviction' }),
      want: { reason: 'not-watched' },
    },
    {
      name: 'no object',
      review: change(bindingReview(), { object: null }),
      want: { reason: 'malformed-object' },
    },
    {
      name: 'no metadata',
      review: change(podReview(), { object: {} }),
      want: { reason: 'malformed-object' },
    },
    {
      name: 'a binding without any name',
      review: bindingReview({ resource: 'bindings', metadata: { name: '' } }),
      want: { reason: 'malformed-object' },
    },
  ]
  for (const { name, review, want } of rows) t.strictSame(examine(requestOf(review)), want, name)
})

const zoneOps = [
  { op: 'add', path: '/metadata/annotations/zonefirst.io~1zone', value: 'eu-1a' },
  { op: 'add', path: '/metadata/annotations/zonefirst.io~1zone-key', value: 'eu-1a' },
]
const servesOp = { op: 'add', path: '/metadata/labels/zonefirst.io~1serves', value: 'eu-1a' }
const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)

t.test('patches', async (t) => {
  const rows: { name: string; metadata: object; zone?: string; want: object[] }[] = [
    {
      name: 'without maps, both are added',
      metadata: { name: 'web-1' },
      want: [
        {
          op: 'add',
          path: '/metadata/annotations',
          value: { 'zonefirst.io/zone': 'eu-1a', 'zonefirst.io/zone-key': 'eu-1a' },
        },
        { op: 'add', path: '/metadata/labels', value: { 'zonefirst.io/serves': 'eu-1a' } },
      ],
    },
    {
      name: 'maps that exist are patched key by key',
      metadata: { annotations: { 'topology.kubernetes.io/zone': '"eu-1a"' }, labels: { app: 'web' } },
      want: [...zoneOps, servesOp],
    },
    {
      name: 'a preset of our keys gives way to the truth',
      metadata: {
        annotations: { 'zonefirst.io/zone': 'wrong', 'zonefirst.io/zone-key': 'wrong' },
        labels: { 'zonefirst.io/serves': 'eu-1a' },
      },
      want: zoneOps.map((op) => ({ ...op, op: 'replace' })),
    },
    {
      name: 'a zone that is no DNS label: annotation as it stands, key where a name is needed',
      metadata: { annotations: {}, labels: {} },
      zone: 'PHX-AD-1',
      want: [
        { ...zoneOps[0], value: 'PHX-AD-1' },
        { ...zoneOps[1], value: 'phx-ad-1-ad6871' },
        { ...servesOp, value: 'phx-ad-1-ad6871' },
      ],
    },
    {
      name: 'a zone that looks like a number stays a string',
      metadata: { annotations: {}, labels: {} },
      zone: '0',
      want: [...zoneOps, servesOp].map((op) => ({ ...op, value: '0' })),
    },
  ]
  for (const { name, metadata, zone = 'eu-1a', want } of rows) {
    const object = deepFreeze({ metadata })
    const result = stamp(object, zone)
    if (result.reason !== 'stamped') {
      t.fail(`${name}: ${result.reason}`)
      continue
    }
    t.strictSame(result.patch.toSorted(byPath), want.toSorted(byPath as never), name)
    const stamped = jsonpatch.applyPatch(structuredClone(object) as JsonObject, result.patch).newDocument
    t.strictSame(stamp(deepFreeze(stamped), zone), { reason: 'already-stamped' }, `${name}: again`)
  }
})

const maps = fc.option(fc.dictionary(fc.string(), fc.string()), { nil: undefined })

t.test(
  'for any zone and any maps: the stamp is there, the rest as it was, and again changes nothing',
  async (t) => {
    const property = fc.property(
      fc.string({ minLength: 1, maxLength: 63 }),
      maps,
      maps,
      (zone, annotations, labels) => {
        const object = deepFreeze({
          metadata: { name: 'web-1', ...(annotations && { annotations }), ...(labels && { labels }) },
          target: { kind: 'Node', name: 'node-a-1' },
        })
        const result = stamp(object, zone)
        if (result.reason !== 'stamped') return false
        const stamped = structuredClone(object) as JsonObject
        // as the API server does it: one pointer at a time
        jsonpatch.applyPatch(stamped, result.patch, true)
        const after = stamped.metadata as {
          annotations: Record<string, string>
          labels: Record<string, string>
        }
        const { 'zonefirst.io/zone': raw, 'zonefirst.io/zone-key': key, ...others } = after.annotations
        const { 'zonefirst.io/serves': serves, ...otherLabels } = after.labels
        return (
          raw === zone &&
          serves === key &&
          isDeepStrictEqual([others, otherLabels], [{ ...annotations }, { ...labels }]) &&
          stamp(stamped, zone).reason === 'already-stamped'
        )
      },
    )
    t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }))
  },
)

t.test('whatever stands in a review, examining it ends with a reason or a candidate', async (t) => {
  const requests = fc.record({
    uid: fc.constant('u'),
    resource: fc.constantFrom('pods', 'pods/binding', 'bindings', 'nodes'),
    operation: fc.constantFrom('CREATE', 'UPDATE', ''),
    namespace: fc.constantFrom('', 'shop'),
    name: fc.constantFrom('', 'web-1'),
    object: fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          metadata: fc.oneof(
            fc.jsonValue(),
            fc.record({ name: fc.jsonValue(), labels: fc.jsonValue(), annotations: fc.jsonValue() }),
          ),
          spec: fc.oneof(fc.jsonValue(), fc.record({ nodeName: fc.jsonValue() })),
          target: fc.oneof(fc.jsonValue(), fc.record({ kind: fc.jsonValue(), name: fc.jsonValue() })),
        },
        { requiredKeys: [] },
      ),
    ),
  })
  const property = fc.property(requests, (request) => {
    const examined = examine(deepFreeze(request))
    return 'reason' in examined || stamp(request.object as JsonObject, 'eu-1a').reason === 'stamped'
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1_000 }))
})
