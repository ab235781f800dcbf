// What holds for any review and any zone: nothing crashes, nothing is refused, a patch gives a valid object, and running
// again changes nothing. Most go through admit, some through the whole app.
import fc from 'fast-check'
import jsonpatch from 'fast-json-patch'
import t from 'tap'
import { zoneKey, zoneKeyMaxLength } from '../../lib/zone.ts'
import { buildAdmit } from '../../webhook/admit.ts'
import { type Lookup, Shed } from '../../webhook/lookup.ts'
import { asObject, isObject, type JsonObject, parseReview } from '../../webhook/review.ts'
import { ourKeys, review, zone, zoneLabel } from '../fixtures/arbitrary/reviews.ts'
import { build } from '../fixtures/review-server.ts'

type Outcome = { pod: 'opted-in' | 'not-opted-in' | 'pod-gone' | Error; zone: string | Error }
const outcome: fc.Arbitrary<Outcome> = fc.record({
  pod: fc.oneof(
    { weight: 6, arbitrary: fc.constant('opted-in' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('not-opted-in', 'pod-gone', new Shed('busy'), new Error('refused')),
    },
  ) as fc.Arbitrary<Outcome['pod']>,
  zone: fc.oneof({ weight: 9, arbitrary: zone }, { weight: 1, arbitrary: fc.constant(new Error('refused')) }),
})
function lookupOf({ pod, zone }: Outcome): Lookup {
  return {
    async pod(_pod, deadline) {
      if (!(pod instanceof Error)) return pod
      deadline()
      throw pod
    },
    async zone(_node, deadline) {
      if (!(zone instanceof Error)) return { zone }
      deadline()
      throw zone
    },
  }
}

const label = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/

/** That the API server would take what was made of the object. Throws what is wrong. */
function checkStamped(before: JsonObject, after: JsonObject, wanted: string | undefined): void {
  const [old, now] = [asObject(before.metadata), asObject(after.metadata)]
  const [annotations, labels] = [asObject(now.annotations), asObject(now.labels)]
  const found = annotations['zonefirst.io/zone']
  if (wanted !== undefined && found !== wanted) throw new Error(`zone ${found} instead of ${wanted}`)
  const key = zoneKey(String(found))
  if (annotations['zonefirst.io/zone-key'] !== key) throw new Error('zone-key is not the key of the zone')
  if (labels['zonefirst.io/serves'] !== key || !label.test(key)) throw new Error('serves is not the zone key')
  for (const [map, was] of [
    [annotations, old.annotations],
    [labels, old.labels],
  ] as const) {
    if (!isObject(map)) throw new Error('no map')
    if (!Object.values(map).every((value) => typeof value === 'string')) throw new Error('not all are texts')
    for (const [name, value] of Object.entries(asObject(was))) {
      if (!ourKeys.includes(name) && map[name] !== value) throw new Error(`${name} was lost or changed`)
    }
  }
  const others = ({ metadata, ...rest }: JsonObject) => {
    const { annotations: _, labels: __, ...kept } = asObject(metadata)
    return JSON.stringify({ ...rest, kept })
  }
  if (others(before) !== others(after)) throw new Error('something else was changed')
}

t.test('any review: a reason, and a patch that is right and final', async (t) => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(review, outcome, async (review, outcome) => {
      const admit = buildAdmit({ lookup: lookupOf(outcome), timeoutMs: 1_000 })
      const request = parseReview(JSON.stringify(review))
      const verdict = await admit(request)
      seen.set(verdict.reason, (seen.get(verdict.reason) ?? 0) + 1)
      if (verdict.reason === 'internal-error') throw verdict.error
      if ((verdict.reason === 'stamped') !== (verdict.patch !== undefined))
        throw new Error('stamp without patch')
      if (!verdict.patch) return
      const before = request.object as JsonObject
      const after = jsonpatch.applyPatch(before, verdict.patch, true, false).newDocument as JsonObject
      const known = asObject(asObject(before.metadata).labels)[zoneLabel]
      const fromBinding = request.resource !== 'pods' && known
      checkStamped(before, after, fromBinding ? undefined : (outcome.zone as string))
      const again = await admit({ ...request, object: after })
      if (again.reason !== 'already-stamped' || again.patch) throw new Error(`again: ${again.reason}`)
    }),
    { numRuns: 10_000 },
  )
  const expected = ['stamped', 'not-opted-in', 'pod-gone', 'shed', 'lookup-failed', 'malformed-object']
  for (const reason of [...expected, 'no-target', 'target-not-a-node', 'not-bound', 'not-watched']) {
    t.ok(seen.get(reason), `some reviews ended with ${reason}`)
  }
  t.ok((seen.get('stamped') ?? 0) > 2_000, `${seen.get('stamped')} were stamped`)
})

t.test('any review through the app: answered with 200 and allowed', async (t) => {
  const { app } = build(t, {
    admit: buildAdmit({ lookup: lookupOf({ pod: 'opted-in', zone: 'eu-1a' }), timeoutMs: 1_000 }),
    bodyLimit: 1_048_576,
  })
  await fc.assert(
    fc.asyncProperty(review, async (review) => {
      const answer = await app.inject({ method: 'POST', url: '/mutate', payload: JSON.stringify(review) })
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
      const { response } = answer.json()
      if (response.allowed !== true || response.uid !== review.request.uid) throw new Error(answer.body)
    }),
    { numRuns: 1_000 },
  )
  t.pass('1,000 reviews')
})

t.test('anything else through the app: a sentence, and never the server’s fault', async (t) => {
  const { app, reported } = build(t, { bodyLimit: 10_000 })
  const whole = fc.sample(review, 1).map((value) => JSON.stringify(value))[0] ?? ''
  const broken = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(whole.length - 1).map((length) => whole.slice(0, length)),
    review.map((value) => JSON.stringify({ ...value, apiVersion: 'admission.k8s.io/v1beta1' })),
    review.map(({ request, ...rest }) => JSON.stringify({ ...rest, request: { ...request, uid: 7 } })),
  )
  await fc.assert(
    fc.asyncProperty(
      broken,
      fc.constantFrom('application/json', 'text/plain', 'application/octet-stream'),
      async (payload, type) => {
        const headers = { 'content-type': type }
        const answer = await app.inject({ method: 'POST', url: '/mutate', payload, headers })
        if (answer.statusCode !== 400) throw new Error(`${answer.statusCode} ${answer.body}`)
        if (!/^[A-Z][^\n]+\.\n$/.test(answer.body)) throw new Error(`no sentence: ${answer.body}`)
      },
    ),
    { numRuns: 1_000 },
  )
  t.ok(reported.every(({ reason }) => reason === 'bad-request'))
})

t.test('distinct zones have distinct keys that are DNS labels', async (t) => {
  /** The same zone, or one that is easily taken for it. */
  const pair = fc.tuple(zone, fc.oneof(zone, fc.constantFrom('upper', 'lower', 'dots', 'dashes', 'longer')))
  fc.assert(
    fc.property(pair, ([one, way]) => {
      const ways: Record<string, string> = {
        upper: one.toUpperCase(),
        lower: one.toLowerCase(),
        dots: one.replaceAll('-', '.'),
        dashes: one.replaceAll(/[^a-z0-9]/gi, '-'),
        longer: one + one,
      }
      const other = Object.hasOwn(ways, way) ? String(ways[way]) : way
      const [key, otherKey] = [zoneKey(one), zoneKey(other)]
      if (key.length > zoneKeyMaxLength || !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(key)) throw new Error(key)
      if (one !== other && key === otherKey) {
        throw new Error(`${JSON.stringify([one, other])} both have the key ${key}`)
      }
    }),
    { numRuns: 10_000 },
  )
  t.pass('10,000 pairs')
})
