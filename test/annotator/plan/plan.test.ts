import t from 'tap'
import { desired } from '../../../annotator/plan/desired.ts'
import { haproxytechCustomAnnotation as dialect } from '../../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import { type PlanOptions, plan, type Write } from '../../../annotator/plan/plan.ts'
import type { Reason } from '../../../annotator/plan/reasons.ts'
import { zonalService } from '../../../annotator/plan/zonal-services.ts'
import { input, pod, service } from '../../fixtures/cluster-objects.ts'
import { deepFreeze } from '../../fixtures/freeze.ts'

const key = dialect.annotation
const routed = desired(input(), dialect, { bound: 1.25, now: 0, memory: {} })
const value = routed.routed ? routed.annotation : ''
const zonal = routed.routed ? routed.zonalServices : []
const refused = (reason: Reason) => ({ routed: false as const, refusal: { reason, message: 'because' } })

function planned(changes: Partial<PlanOptions>) {
  const options = { graceTime: 100, releaseTime: 10, now: 1_000, memory: {}, annotationKey: key, written: {} }
  return plan(deepFreeze({ input: input(), desired: routed, ...options, ...changes }))
}

function told(writes: readonly Write[]): string[] {
  return writes.map((write) => `${write.kind} ${nameOf(write)}`)
}

function nameOf(write: Write): string | undefined {
  if (write.kind === 'write-pod') return `${write.pod.name} ${write.serves}`
  return ('service' in write ? write.service : write.primary).metadata.name
}

t.test('from nothing: zonal Services first, the annotation once it has been fit for a while', async (t) => {
  const services = ['apply-zonal-service web-in-a', 'apply-zonal-service web-in-b']
  const first = planned({})
  t.strictSame(told(first.writes), services)
  t.match(first, { memory: { routableSince: 1_000 }, lookAgainIn: 3_000 })
  const later = planned({ memory: first.memory, now: 4_000 })
  t.strictSame(told(later.writes), [...services, 'set-annotation web'])
  t.strictSame(later.memory, { guard: {} })
  t.match(planned({ desired: refused('PodsNotStamped'), memory: first.memory }).memory, {
    refusedSince: 1_000,
  })
})

t.test('run on its own result there is nothing to do', async (t) => {
  const done = planned({ input: input({ zonalServices: zonal }), written: { [key]: value } })
  t.strictSame(done, { writes: [], memory: { guard: {} } })
})

t.test('only what differs is written', async (t) => {
  const [first] = zonal
  const changed = { ...first, spec: { ...first?.spec, selector: { app: 'web' } } } as typeof first & object
  const half = input({ zonalServices: [changed, ...zonal.slice(1)] })
  t.strictSame(told(planned({ input: half, written: { [key]: value } }).writes), [
    'apply-zonal-service web-in-a',
  ])
  const all = input({ zonalServices: zonal })
  t.strictSame(told(planned({ input: all, written: { [key]: 'old' } }).writes), ['set-annotation web'])
})

t.test('another dialect’s annotation goes', async (t) => {
  const { writes } = planned({
    input: input({ zonalServices: zonal }),
    written: { [key]: value, other: 'x' },
  })
  t.match(writes, [{ kind: 'remove-annotation', key: 'other' }])
})

t.test('a zone that has no nodes any more: its Service goes after the release time', async (t) => {
  const gone = zonalService(service(), 'web-in', { zone: 'c', key: 'c' })
  const extra = input({ zonalServices: [...zonal, gone] })
  const first = planned({ input: extra, written: { [key]: value } })
  t.strictSame(first, { writes: [], memory: { guard: {}, unusedSince: 1_000 }, lookAgainIn: 10 })
  const later = planned({ input: extra, written: { [key]: value }, memory: first.memory, now: 1_010 })
  t.strictSame(told(later.writes), ['delete-zonal-service web-in-c'])
})

t.test('refused for good: annotation first, zonal Services after the release time', async (t) => {
  const actual = input({ zonalServices: zonal })
  const first = planned({ input: actual, desired: refused('KeptOut'), written: { [key]: value } })
  t.strictSame(told(first.writes), ['remove-annotation web'])
  t.match(first, { refusal: { reason: 'KeptOut' }, lookAgainIn: 10 })
  const second = planned({ input: actual, desired: refused('KeptOut'), memory: first.memory, now: 1_010 })
  t.match(
    second,
    { writes: [], lookAgainIn: 10 },
    'the time counts from when the annotation was seen to be gone',
  )
  const third = planned({ input: actual, desired: refused('KeptOut'), memory: second.memory, now: 1_020 })
  t.strictSame(told(third.writes), ['delete-zonal-service web-in-a', 'delete-zonal-service web-in-b'])
  t.strictSame(planned({ desired: refused('KeptOut') }).writes, [], 'and then nothing is left to do')
})

t.test('patience', async (t) => {
  const actual = input({ zonalServices: zonal })
  const during = { input: actual, desired: refused('PodsNotStamped'), written: { [key]: value } }
  const first = planned(during)
  t.strictSame(first, { writes: [], memory: { refusedSince: 1_000 }, lookAgainIn: 100 }, 'a rolling update')
  t.strictSame(planned({ ...during, memory: first.memory, now: 1_060 }).lookAgainIn, 40)
  t.strictSame(told(planned({ ...during, memory: first.memory, now: 1_100 }).writes), [
    'remove-annotation web',
  ])
  t.strictSame(
    planned({ input: actual, written: { [key]: value }, memory: first.memory }).memory,
    { guard: {} },
    'right again',
  )
  const endless = planned({ ...during, desired: refused('NoReadyPods'), now: 9_999_999 })
  t.strictSame(endless, { writes: [], memory: {} }, 'no ready pods: nothing changes, however long')
  const unwritten = planned({ desired: refused('PodsNotStamped') })
  t.strictSame(
    unwritten,
    { writes: [], memory: { refusedSince: 1_000 }, lookAgainIn: 15_000 },
    'a rollout begins',
  )
  const later = planned({ desired: refused('PodsNotStamped'), memory: unwritten.memory, now: 16_000 })
  t.match(
    later,
    { writes: [], refusal: { reason: 'PodsNotStamped' } },
    'and if it does not go on, people are told',
  )
})

t.test('patience keeps what is written, but no selector that the Service has no more', async (t) => {
  const green = service({ spec: { selector: { app: 'web', color: 'green' } } })
  for (const reason of ['NotOptedIn', 'PodsNotStamped', 'NoReadyPods'] as const) {
    const actual = input({ primary: green, zonalServices: zonal })
    const { writes } = planned({ input: actual, desired: refused(reason), written: { [key]: value } })
    t.strictSame(
      told(writes),
      ['apply-zonal-service web-in-a', 'apply-zonal-service web-in-b'],
      `${reason}: HAProxy must not go on with pods that the Service was taken off`,
    )
    t.match(writes, [
      {
        service: { spec: { selector: { app: 'web', color: 'green', 'zonefirst.io/serves': 'a' } } },
      },
    ])
    const applied = writes.flatMap((write) => ('service' in write ? [write.service] : []))
    const done = input({ primary: green, zonalServices: applied })
    t.strictSame(planned({ input: done, desired: refused(reason), written: { [key]: value } }).writes, [])
    for (const spec of [{ selector: {} }, { type: 'ExternalName', selector: { app: 'web' } }]) {
      const elsewhere = input({ primary: service({ spec }), zonalServices: zonal })
      const gone = planned({ input: elsewhere, desired: refused(reason), written: { [key]: value } })
      t.strictSame(told(gone.writes), ['remove-annotation web'], 'without a selector it ends at once')
    }
  }
})

t.test(
  'pods: written before everything else, left alone under patience, home again at the end',
  async (t) => {
    const lent = pod('web-1', 'a', { serves: 'b' })
    const [, ...others] = input().pods
    const given = input({ pods: [lent, ...others], zonalServices: zonal })
    const [first] = planned({ input: given, written: { [key]: value } }).writes
    t.match(first, { kind: 'write-pod', serves: 'a' }, 'the load guard had nothing against its own zone')
    const during = planned({ input: given, desired: refused('PodsNotStamped'), written: { [key]: value } })
    t.strictSame(during.writes, [])
    const end = planned({ input: given, desired: refused('KeptOut'), written: { [key]: value } })
    t.strictSame(told(end.writes), ['remove-annotation web', 'write-pod web-1 a'])
    const shared = input({ pods: [lent, ...others], sharedPods: new Set(['web-1']) })
    t.strictSame(
      planned({ input: shared, desired: refused('KeptOut') }).writes,
      [],
      'another Service decides over it',
    )
  },
)
