import type { V1ServicePort } from '@kubernetes/client-node'
import t from 'tap'
import { haproxyIngressWords } from '../../../annotator/plan/dialects/haproxy-ingress-words.ts'
import { haproxytechWords } from '../../../annotator/plan/dialects/haproxytech-words.ts'
import { portsByBackend } from '../../../annotator/plan/ports.ts'
import { endpoints, input, service } from '../../fixtures/cluster-objects.ts'

const route = (port: { name: string } | { number: number }) => ({
  service: 'web',
  port,
  standalone: undefined,
})
const [http, admin] = [
  { name: 'http', port: 80, targetPort: 8080 },
  { name: 'admin', port: 81, targetPort: 9090 },
]

t.test('backends and the pods’ ports', async (t) => {
  const rows = [
    { name: 'by name', routes: [route({ name: 'http' })], want: { shop_svc_web_http: 8080 } },
    {
      name: 'by number: the backend has the port’s name',
      routes: [route({ number: 80 })],
      want: { shop_svc_web_http: 8080 },
    },
    {
      name: 'two ports',
      routes: [route({ name: 'http' }), route({ name: 'admin' })],
      want: { shop_svc_web_http: 8080, shop_svc_web_admin: 9090 },
    },
    { name: 'a port that the Service does not have', routes: [route({ name: 'smtp' })], want: {} },
    {
      name: 'an Ingress with a backend of its own',
      routes: [{ ...route({ name: 'http' }), standalone: 'alone' }],
      want: { shop_alone_svc_web_http: 8080 },
    },
  ]
  for (const { name, routes, want } of rows) {
    const primary = service({ spec: { ports: [http, admin] } })
    const slices = [endpoints(['web-1'], { ports: { http: 8080, admin: 9090 } })]
    t.strictSame(
      portsByBackend(input({ primary, routes, endpoints: slices }), haproxytechWords),
      { ports: want },
      name,
    )
  }
  const unnamed = service({ spec: { ports: [{ port: 80, targetPort: 8080 }] } })
  const slices = [endpoints(['web-1'], { ports: { '': 8080 } })]
  t.strictSame(
    portsByBackend(
      input({ primary: unnamed, routes: [route({ number: 80 })], endpoints: slices }),
      haproxytechWords,
    ),
    { ports: { shop_svc_web_80: 8080 } },
    'a port without a name',
  )
})

t.test('haproxy-ingress names its backends after the target port', async (t) => {
  const slices = [endpoints(['web-1'], { ports: { http: 8080, admin: 9090 } })]
  const backends = (ports: V1ServicePort[]) =>
    portsByBackend(
      input({
        primary: service({ spec: { ports } }),
        routes: [{ ...route({ name: 'http' }), standalone: 'alone' }, route({ name: 'admin' })],
        endpoints: slices,
      }),
      haproxyIngressWords,
    )
  const want = { shop_web_8080: 8080, shop_web_console: 9090 }
  t.strictSame(backends([http, { ...admin, targetPort: 'console' }]), { ports: want })
})

t.test('named target ports', async (t) => {
  const primary = service({ spec: { ports: [{ name: 'http', port: 80, targetPort: 'web' }] } })
  const [one, other] = [
    endpoints(['web-1']),
    endpoints(['web-2'], { name: 'web-def', ports: { http: 8081 } }),
  ]
  t.strictSame(portsByBackend(input({ primary, endpoints: [one] }), haproxytechWords), {
    ports: { shop_svc_web_http: 8080 },
  })
  t.match(portsByBackend(input({ primary, endpoints: [one, other] }), haproxytechWords), {
    refusal: { reason: 'SeveralTargetPorts', message: /8080 on some pods and 8081 on others/ },
  })
  const without = endpoints(['web-2'], { name: 'web-def', ports: {} })
  t.match(
    portsByBackend(input({ primary, endpoints: [one, without] }), haproxytechWords),
    {
      refusal: { reason: 'SeveralTargetPorts', message: /8080 on some pods and missing on others \(web-2\)/ },
    },
    'a pod without that port: the controller leaves it out, an address list would have it',
  )
  const renamed = endpoints(['web-1'], { name: 'web-old', ports: { old: 8080 } })
  t.strictSame(
    portsByBackend(input({ primary, endpoints: [one, renamed] }), haproxytechWords),
    { ports: { shop_svc_web_http: 8080 } },
    'a slice that is about to go, after the port was renamed',
  )
  t.match(portsByBackend(input({ primary, endpoints: [] }), haproxytechWords), {
    refusal: { reason: 'UnknownTargetPort' },
  })
})
