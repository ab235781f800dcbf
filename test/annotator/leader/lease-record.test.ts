import t from 'tap'
import { held, observe, released, waitsFor } from '../../../annotator/leader/lease-record.ts'
import { deepFreeze } from '../../fixtures/freeze.ts'

const spec = deepFreeze({
  holderIdentity: 'other',
  leaseDurationSeconds: 15,
  acquireTime: '2020-01-01T00:00:00.000000Z',
  renewTime: '2020-01-01T00:00:00.000000Z',
  leaseTransitions: 3,
})
const wallTime = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const time = '2026-01-02T03:04:05.006000Z'

t.test('a Lease is new when it changes, whatever its times say', async (t) => {
  const first = observe(undefined, spec, 1_000)
  t.strictSame(first, { spec, since: 1_000 })
  t.equal(observe(first, { ...spec }, 5_000), first)
  const renewed = { ...spec, renewTime: '2019-01-01T00:00:00.000000Z' }
  t.strictSame(observe(first, renewed, 5_000), { spec: renewed, since: 5_000 })
  t.strictSame(observe(first, undefined, 5_000), { spec: undefined, since: 5_000 })
})

t.test('how long to wait', async (t) => {
  const wait = (seen: object, isFirst = false, leaseDuration = 15_000) => {
    const options = { identity: 'me', leaseDuration, now: 10_000 }
    return waitsFor({ spec: { ...spec, ...seen }, since: 1_000 }, isFirst, options)
  }
  t.equal(wait({}), 6_000, 'from when it was seen')
  t.equal(wait({ leaseDurationSeconds: 60 }), 51_000, 'its holder may have other settings')
  t.equal(wait({ leaseDurationSeconds: 1 }), 6_000)
  t.equal(wait({ leaseDurationSeconds: undefined }), 6_000)
  t.equal(wait({}, true, 5_000), 6_000)
  t.equal(wait({ holderIdentity: '' }), 0, 'given back')
  t.equal(wait({ holderIdentity: 'me' }), 0)
  const options = { identity: 'me', leaseDuration: 15_000, now: 10_000 }
  t.equal(waitsFor({ spec: undefined, since: 10_000 }, true, options), 0, 'nobody has led yet')
  t.equal(waitsFor({ spec: undefined, since: 10_000 }, false, options), 15_000, 'it was deleted')
})

t.test('what its holder writes', async (t) => {
  const options = { identity: 'me', leaseDuration: 1_500, wallTime }
  const fresh = { holderIdentity: 'me', leaseDurationSeconds: 2, acquireTime: time, renewTime: time }
  t.strictSame(held(undefined, options), { ...fresh, leaseTransitions: 0 })
  t.strictSame(held(spec, options), { ...fresh, leaseTransitions: 4 })
  const { acquireTime } = spec
  t.strictSame(held({ ...spec, holderIdentity: 'me' }, options), {
    ...fresh,
    acquireTime,
    leaseTransitions: 3,
  })
  t.match(released(spec, wallTime), { holderIdentity: '', renewTime: time, leaseTransitions: 3 })
})
