import t from 'tap'
import { backendServers, lacksEffect } from '../../../annotator/plan/effects.ts'

t.test('servers by backend', async (t) => {
  const metrics = `# HELP haproxy_backend_active_servers Total number of active UP servers with a non-zero weight
# TYPE haproxy_backend_active_servers gauge
haproxy_backend_active_servers{proxy="shop_svc_web_http"} 2
haproxy_backend_active_servers{proxy="stats"} 0
# TYPE haproxy_backend_backup_servers gauge
haproxy_backend_backup_servers{proxy="shop_svc_web_http"} 6
haproxy_backend_backup_servers{proxy="stats"} 0
haproxy_backend_sessions_total{proxy="shop_svc_web_http"} 99
`
  t.strictSame(
    backendServers(metrics),
    new Map([
      ['shop_svc_web_http', { active: 2, backup: 6 }],
      ['stats', { active: 0, backup: 0 }],
    ]),
  )
  t.equal(backendServers('').size, 0)
})

t.test('what shows that there is no effect', async (t) => {
  const rows = [
    { name: 'local pods', servers: { active: 2, backup: 6 }, want: false },
    { name: 'no local pods', servers: { active: 0, backup: 6 }, want: false },
    { name: 'nothing is up', servers: { active: 0, backup: 0 }, want: false },
    { name: 'no such backend', servers: undefined, want: false },
    { name: 'as without zonefirst', servers: { active: 6, backup: 0 }, want: true },
  ]
  for (const { name, servers, want } of rows) t.equal(lacksEffect(servers), want, name)
})
