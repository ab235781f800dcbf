import t from 'tap'
import type { Event } from '../../../annotator/events/events.ts'
import { ServiceTeller } from '../../../annotator/events/service-teller.ts'
import type { Reason } from '../../../annotator/plan/reasons.ts'
import { pod, service } from '../../fixtures/cluster-objects.ts'

const primary = service()
const refusal = (reason: Reason) => ({ reason, message: `because of ${reason}` })
const zonal = ['web-in-a', 'web-in-b'].map((name) => service({ metadata: { name } }))
const key = 'shop/web'

function teller() {
  const events: Event[] = []
  const told = new ServiceTeller((event) => void events.push(event))
  return {
    told,
    said: () => events.splice(0).map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
  }
}

t.test('each change is told once', async (t) => {
  const { told, said } = teller()
  const routed =
    'Normal ZoneFirst: the proxies of each zone now take the pods that serve it (web-in-a, web-in-b) as normal servers and all others as backup'
  told.routed(key, primary, 'one', zonal)
  told.routed(key, primary, 'one', zonal)
  t.strictSame(said(), [routed], 'the cache may lag behind the write')
  told.routedNoMore(primary, refusal('StaticCookie'))
  told.refused(key, primary, refusal('StaticCookie'))
  told.refused(key, primary, refusal('StaticCookie'))
  t.strictSame(said(), [
    'Normal ZoneFirstOff: routed as without zonefirst again: because of StaticCookie',
    'Warning StaticCookie: left alone: because of StaticCookie',
  ])
  told.refused(key, primary, refusal('HashBalancing'))
  told.routed(key, primary, 'one', zonal)
  t.equal(said().length, 2, 'what is different is told')
  told.forget(key)
  told.routed(key, primary, 'one', zonal)
  t.strictSame(said(), [routed], 'a Service that came anew')
})

t.test('nobody hears of what nobody asked for', async (t) => {
  const { told, said } = teller()
  for (const reason of ['NotOptedIn', 'NotRouted', 'KeptOut', 'NoReadyPods'] as const) {
    told.refused(key, primary, refusal(reason))
  }
  t.strictSame(said(), [])
})

t.test('advice is given when it becomes due, however its numbers change', async (t) => {
  const { told, said } = teller()
  const advice = (count: number) => [{ reason: 'AnswerTooLarge' as const, message: `${count} pods` }]
  told.advised(key, primary, advice(30))
  told.advised(key, primary, advice(31))
  t.strictSame(said(), ['Warning AnswerTooLarge: 30 pods'])
  told.advised(key, primary, [])
  told.advised(key, primary, advice(32))
  t.strictSame(said(), ['Warning AnswerTooLarge: 32 pods'])
})

t.test('who is in the way, and which pods move', async (t) => {
  const { told, said } = teller()
  told.annotationRemoved(primary, 'x', ['argocd', 'helm'])
  told.annotationRemoved(primary, 'x', [])
  told.lent(primary, [])
  told.lent(primary, [{ kind: 'write-pod', pod: pod('web-1', 'a'), zone: 'a', zoneKey: 'a', serves: 'b' }])
  const [by, byNobody, lent, ...others] = said()
  t.match(by, /^Warning AnnotationRemoved: .*\(this Service is also written by argocd, helm\)/)
  t.match(byNobody, /\(nobody else has fields of this Service\)/)
  t.match(lent, /^Normal ZonesRebalanced: .*web-1 \(a\) is lent to b$/)
  t.strictSame(others, [])
})
