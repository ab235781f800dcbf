import t from 'tap'
import { keepBackendResource } from '../../../annotator/plan/backend-resource.ts'
import type { KubeObject } from '../../../lib/kube.ts'

t.test('what does not go with ours, in either version', async (t) => {
  const rows = [
    { spec: {}, want: undefined },
    { spec: undefined, want: undefined },
    { spec: { cookie: { name: 'c', type: 'insert' } }, want: 'StaticCookie' },
    { spec: { cookie: { name: 'c', type: 'insert', dynamic: true } }, want: undefined },
    { spec: { balance: { algorithm: 'leastconn' } }, want: undefined },
    { spec: { balance: { algorithm: 'uri' } }, want: 'HashBalancing' },
    { spec: { balance: { algorithm: 'hdr', hdr_name: 'x-user' } }, want: 'HashBalancing' },
    { spec: { hash_type: { method: 'consistent' } }, want: 'HashBalancing' },
    { spec: { stick_table: { type: 'ip' } }, want: 'StickTable' },
    { spec: { stick_rule_list: [{ type: 'on' }] }, want: 'StickTable' },
    { spec: { stick_rule_list: [] }, want: undefined },
    { spec: { server_switching_rule_list: [{ target_server: 'SRV_1' }] }, want: 'SnippetUndoes' },
    { spec: { retries: 0 }, want: 'SnippetUndoes' },
    { spec: { retries: 2, default_server: { check: 'enabled' } }, want: undefined },
  ]
  for (const { spec, want } of rows) {
    for (const versioned of [spec, { config: spec }]) {
      const object = { metadata: { namespace: 'shop', name: 'web' }, spec: versioned } as KubeObject
      const { refusal } = keepBackendResource(object)
      t.equal(refusal?.reason, want, JSON.stringify(versioned))
      if (refusal) t.match(refusal.message, /^the Backend resource shop\/web .*: \S/)
    }
  }
})
