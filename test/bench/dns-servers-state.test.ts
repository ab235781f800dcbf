import t from 'tap'
import { resolvedAddresses } from '../../bench/dns/servers-state.ts'

const header = '# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight'

t.test('addresses of the template’s servers that have one', (t) => {
  const state = `1
${header}
3 shop_svc_web_http 1 local-8080-1 10.100.0.1 2 0 1
3 shop_svc_web_http 2 local-8080-2 10.100.0.2 0 0 1
3 shop_svc_web_http 3 local-8080-3 10.100.0.3 0 32 1
3 shop_svc_web_http 4 local-8080-4 - 0 34 1
3 shop_svc_web_http 9 SRV_1 10.100.0.9 2 0 1

`
  t.same(resolvedAddresses(state), new Set(['10.100.0.1', '10.100.0.2']), 'also of one that is down')
  t.end()
})

t.test('an answer that tells something else is none', (t) => {
  t.throws(() => resolvedAddresses('Unknown command'), /no srv_name/)
  t.end()
})
