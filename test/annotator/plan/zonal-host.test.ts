import t from 'tap'
import { zonalServiceHost as host } from '../../../annotator/plan/zonal-host.ts'

t.test('the zonal Service of HAProxy’s own zone', async (t) => {
  const name = host.write({ namespace: 'shop', prefix: 'web-in' })
  // biome-ignore lint/suspicious/noTemplateCurlyInString: HAProxy's, not ours
  t.equal(name, 'web-in-${ZONE}.shop.svc.cluster.local')
  t.equal(host.prefixOf(name), 'web-in')
  t.equal(host.prefixOf('web-in-a.shop.svc.cluster.local'), undefined, 'a name of somebody else’s')
})
