import t from 'tap'
import { EffectWatch } from '../../../annotator/events/effect-watch.ts'
import type { Event } from '../../../annotator/events/events.ts'
import { pod, service } from '../../fixtures/cluster-objects.ts'

const routed = [
  { primary: service(), backends: ['shop_svc_web_http', 'shop_svc_web_admin'] },
  { primary: service({ metadata: { name: 'other', uid: 'uid-other' } }), backends: ['shop_svc_other_http'] },
]
const proxy = (name: string, address: string | undefined) =>
  pod(name, 'a', {
    proxy: {
      address,
      configMap: undefined,
      tcpServices: undefined,
      missing: [],
      hasNodeDNS: false,
      isStampedLate: false,
    },
  })
const metrics = (backends: Record<string, [active: number, backup: number]>) =>
  Object.entries(backends)
    .map(
      ([name, [active, backup]]) =>
        `haproxy_backend_active_servers{proxy="${name}"} ${active}\nhaproxy_backend_backup_servers{proxy="${name}"} ${backup}\n`,
    )
    .join('')

function watched(texts: Record<string, string>) {
  const events: Event[] = []
  const watch = new EffectWatch({
    routed: () => routed,
    proxies: () => Object.keys(texts).map((address) => proxy(`proxy-${address}`, address)),
    read: async (address) => texts[address] || Promise.reject(new Error('refused')),
    tell: (event) => void events.push(event),
  })
  return { watch, events }
}

t.test('a Service without effect is told after two looks, and once', async (t) => {
  const texts = {
    one: metrics({ shop_svc_web_http: [2, 6], shop_svc_web_admin: [6, 0], shop_svc_other_http: [1, 3] }),
  }
  const { watch, events } = watched(texts)
  await watch.look()
  t.strictSame([watch.services, events.length], [0, 0], 'it may be about to come')
  await watch.look()
  t.equal(watch.services, 1)
  t.match(events, [
    {
      regarding: { kind: 'Service', namespace: 'shop', name: 'web', uid: 'uid-web' },
      type: 'Warning',
      reason: 'WithoutEffect',
      message: /^annotated, but without effect: shop\/proxy-one still routes it as without zonefirst/,
    },
  ])
  await watch.look()
  t.equal(events.length, 1)
  texts.one = metrics({ shop_svc_web_admin: [1, 6] })
  await watch.look()
  t.equal(watch.services, 0, 'and it has its effect')
})

t.test('where nothing can be said, nothing is', async (t) => {
  const { watch, events } = watched({ one: '', two: metrics({ shop_svc_web_http: [2, 6] }) })
  await watch.look()
  await watch.look()
  t.strictSame(events, [], 'a proxy that can’t be read, and a backend that is not there')
  t.equal(watch.unreadProxies, 1)
})
