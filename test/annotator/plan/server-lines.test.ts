import t from 'tap'
import { serverLines } from '../../../annotator/plan/server-lines.ts'
import { zonalServiceHost } from '../../../annotator/plan/zonal-host.ts'

t.test('the canonical text', async (t) => {
  const host = zonalServiceHost.write({ namespace: 'default', prefix: 'web-in' })
  const lines = serverLines({ host, slots: 8, port: 8080, family: 'ipv4' })
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: HAProxy's, not ours
  t.strictSame(lines, [
    '.if !streq("${ZONE_RESOLVERS}","") && !streq("${ZONE}","")',
    'option allbackups',
    'option redispatch 1',
    'default-server backup',
    'server-template local-8080- 8 "web-in-${ZONE}.default.svc.cluster.local:8080" no-backup resolvers "${ZONE_RESOLVERS}" resolve-prefer ipv4 init-addr none check inter 1s fall 2 rise 1 observe layer4 error-limit 1 on-error mark-down',
    '.endif',
  ])
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
})
