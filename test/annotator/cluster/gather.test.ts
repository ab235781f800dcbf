import t from 'tap'
import { gather } from '../../../annotator/cluster/gather.ts'
import type { ClassRule } from '../../../annotator/objects/routes.ts'
import { endpoints, ingress, ingressClass, pod, service } from '../../fixtures/cluster-objects.ts'
import { type Contents, clusterView } from '../../fixtures/cluster-view.ts'

const rule: ClassRule = {
  controller: 'haproxy.org/ingress-controller',
  names: ['haproxy'],
  withoutClass: false,
}
const key = 'shop/web'
const pods = [pod('web-1', 'a'), pod('web-2', 'b')]
const named = (name: string, labels: Record<string, string> = {}) =>
  service({ metadata: { name, namespace: 'shop', uid: `uid-${name}`, labels } })
const gathered = (contents: Contents, routed: readonly string[] = []) =>
  gather(
    clusterView({
      services: [service()],
      ingresses: [ingress()],
      endpoints: [endpoints(['web-1', 'web-2'])],
      pods,
      ...contents,
    }),
    key,
    rule,
    ({ metadata }) => routed.includes(metadata.name ?? ''),
  )

t.test('what belongs to one Service', async (t) => {
  const found = gathered({
    services: [
      service(),
      named('other'),
      service({
        metadata: {
          name: 'web-in-a',
          namespace: 'shop',
          labels: { 'zonefirst.io/zonal-service': 'a' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-web' }],
        },
      }),
    ],
    endpoints: [
      endpoints(['web-1'], { unreadyPods: ['web-2'] }),
      endpoints(['gone'], { name: 'web-def' }),
      endpoints(['other-1'], { name: 'other-abc', service: 'other' }),
    ],
    pods: [...pods, pod('other-1', 'a')],
  })
  t.match(found, {
    primary: { metadata: { name: 'web' } },
    routes: [{ service: 'web', port: { name: 'http' } }],
    hasIngress: true,
    zones: [{ key: 'a' }, { key: 'b' }],
  })
  t.strictSame(
    found?.pods.map(({ name }) => name),
    ['web-1', 'web-2'],
    'ready or not, where they are known',
  )
  t.strictSame(
    found?.endpoints.map(({ name }) => name),
    ['web-abc', 'web-def'],
  )
  t.strictSame(
    found?.zonalServices.map(({ metadata }) => metadata.name),
    ['web-in-a'],
  )
  t.strictSame([...(found?.neighbours.keys() ?? [])].sort(), ['other', 'web', 'web-in-a'])
})

t.test('Services that are nobody’s primary', async (t) => {
  t.equal(gathered({ services: [] }), undefined, 'gone')
  const metadata = { ...service().metadata, deletionTimestamp: new Date(0) }
  t.equal(gathered({ services: [service({ metadata })] }), undefined, 'on its way out')
  const zonal = { ...service().metadata, labels: { 'zonefirst.io/zonal-service': 'a' } }
  t.equal(gathered({ services: [service({ metadata: zonal })] }), undefined, 'one of ours')
})

t.test('what routes to it', async (t) => {
  const classes = [
    ingressClass('haproxy', 'haproxy.org/ingress-controller/haproxy'),
    ingressClass('other', 'haproxy-ingress.github.io/controller'),
  ]
  const theirs = ingress({
    metadata: { name: 'theirs' },
    spec: { ...ingress().spec, ingressClassName: 'other' },
  })
  t.match(gathered({ ingressClasses: classes, ingresses: [theirs] }), {
    routes: [],
    ingresses: [],
    hasIngress: true,
  })
  t.match(gathered({ ingresses: [] }), { routes: [], hasIngress: false })
  const both = gathered({ ingressClasses: classes, ingresses: [theirs, ingress()] })
  t.strictSame(
    both?.ingresses.map(({ metadata }) => metadata.name),
    ['web'],
  )
  const ports = [
    { name: 'http', port: 80 },
    { name: 'sql', port: 5432 },
  ]
  const labels = { 'zonefirst.io/enabled': 'true' }
  const asked = service({ metadata: { ...service().metadata, labels }, spec: { ports } })
  t.match(
    gathered({ services: [asked], ingresses: [] })?.routes,
    [{ port: { number: 80 } }, { port: { number: 5432 } }],
    'taken in by its label: every port',
  )
  const alone = ingress({ metadata: { annotations: { 'haproxy.org/standalone-backend': 'true' } } })
  t.match(
    gathered({ services: [asked], ingresses: [alone] })?.routes,
    [{ port: { number: 80 } }, { port: { number: 5432 } }, { port: { name: 'http' }, standalone: 'web' }],
    'and besides them what its Ingresses ask for',
  )
})

t.test('pods that another routed Service selects too', async (t) => {
  const twin = named('twin')
  const sharing = (contents: Contents, routed: readonly string[]) => {
    const { sharedPods, pinnedPods } = gathered(contents, routed) ?? {}
    return { shared: [...(sharedPods ?? [])], pinned: [...(pinnedPods ?? [])] }
  }
  const slices = (...pods: string[]) => [
    endpoints(['web-1', 'web-2']),
    endpoints(pods, { name: 'twin-abc', service: 'twin' }),
  ]
  const services = [service(), twin]
  t.strictSame(
    sharing({ services, endpoints: slices('web-1', 'web-2') }, []),
    { shared: [], pinned: [] },
    'it is not routed by zone',
  )
  t.strictSame(
    sharing({ services, endpoints: slices('web-1', 'web-2') }, ['web', 'twin']),
    { shared: ['web-1', 'web-2'], pinned: [] },
    'with the same ready pods both come to the same plan',
  )
  t.strictSame(
    sharing({ services, endpoints: slices('web-1', 'web-2', 'more') }, ['web', 'twin']),
    { shared: ['web-1', 'web-2'], pinned: ['web-1', 'web-2'] },
    'with others they might pull apart',
  )
})
