import t from 'tap'
import type { Service } from '../../../annotator/objects/objects.ts'
import { hashedPrefix } from '../../../annotator/plan/zonal-name.ts'
import {
  choosePrefix,
  foreignNames,
  isAsWanted,
  overdueZonalServices,
  zonalService,
} from '../../../annotator/plan/zonal-services.ts'
import { input, service } from '../../fixtures/cluster-objects.ts'

const zone = { zone: 'a', key: 'a' }
const hashed = hashedPrefix('shop', 'web')
const foreign = (name: string): [string, Service] => [
  name,
  service({ metadata: { name, namespace: 'shop', uid: 'x' } }),
]

t.test('a zonal Service', async (t) => {
  const labels = { 'app.kubernetes.io/instance': 'shop', 'argocd.argoproj.io/instance': 'shop' }
  const primary = service({
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', labels, annotations: { note: 'x' } },
    spec: {
      type: 'NodePort',
      ports: [{ name: 'http', port: 80, targetPort: 'web', nodePort: 30080, protocol: 'TCP' }],
      ipFamilies: ['IPv6', 'IPv4'],
      ipFamilyPolicy: 'PreferDualStack',
    },
  })
  t.strictSame(zonalService(primary, 'web-in', zone), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'web-in-a',
      namespace: 'shop',
      labels: { 'zonefirst.io/zonal-service': 'a' },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: 'web',
          uid: 'uid-web',
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      clusterIP: 'None',
      selector: { app: 'web', 'zonefirst.io/serves': 'a' },
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'web' }],
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: ['IPv6'],
    },
  })
})

t.test('whether one is as wanted', async (t) => {
  const wanted = zonalService(service(), 'web-in', zone)
  const actual = (spec: object, metadata: object = {}) => ({
    ...wanted,
    metadata: { ...wanted.metadata, uid: 'z', resourceVersion: '7', annotations: { note: 'x' }, ...metadata },
    spec: { ...wanted.spec, clusterIPs: ['None'], type: 'ClusterIP', sessionAffinity: 'None', ...spec },
  })
  t.equal(isAsWanted(actual({}), wanted), true, 'what the API server and others add does not count')
  t.equal(isAsWanted(actual({ selector: { app: 'web' } }), wanted), false, 'selector')
  t.equal(isAsWanted(actual({ ports: [{ name: 'http', port: 80, targetPort: 81 }] }), wanted), false, 'ports')
  t.equal(isAsWanted(actual({}, { ownerReferences: [] }), wanted), false, 'owner')
  t.equal(isAsWanted(actual({}, { labels: {} }), wanted), false, 'label')
})

t.test('the prefix', async (t) => {
  const earlier = service({ metadata: { name: 'web', namespace: 'shop', uid: 'uid-before' } })
  const another = service({ metadata: { name: 'other', namespace: 'shop', uid: 'uid-other' } })
  const rows = [
    { name: 'readable', neighbours: [], today: undefined, want: 'web-in' },
    {
      name: 'zonal Services of an earlier Service of that name',
      neighbours: [['web-in-a', zonalService(earlier, 'web-in', zone)] as [string, Service]],
      today: undefined,
      want: 'web-in',
    },
    {
      name: 'zonal Services of another primary',
      neighbours: [['web-in-a', zonalService(another, 'web-in', zone)] as [string, Service]],
      today: undefined,
      want: hashed,
    },
    {
      name: 'a foreign Service under a name',
      neighbours: [foreign('web-in-b')],
      today: undefined,
      want: hashed,
    },
    {
      name: 'a foreign name of no zone',
      neighbours: [foreign('web-in-c')],
      today: undefined,
      want: 'web-in',
    },
    { name: 'stays what it is today', neighbours: [], today: hashed, want: hashed },
    {
      name: 'never changes while annotated',
      neighbours: [foreign('web-in-b')],
      today: 'web-in',
      want: undefined,
    },
    { name: 'somebody’s own text', neighbours: [], today: 'other', want: 'web-in' },
    {
      name: 'both taken',
      neighbours: [foreign('web-in-b'), foreign(`${hashed}-a`)],
      today: undefined,
      want: undefined,
    },
    {
      name: 'our own zonal Services are not foreign',
      neighbours: [['web-in-a', zonalService(service(), 'web-in', zone)]] as [string, Service][],
      today: undefined,
      want: 'web-in',
    },
  ]
  for (const { name, neighbours, today, want } of rows) {
    t.equal(choosePrefix(input({ neighbours: new Map(neighbours) }), today), want, name)
  }
  const long = service({ metadata: { name: 'x'.repeat(63), namespace: 'shop', uid: 'u' } })
  t.equal(
    choosePrefix(input({ primary: long }), undefined),
    hashedPrefix('shop', 'x'.repeat(63)),
    'a long name',
  )
})

t.test('a Service that only carries our label is foreign', async (t) => {
  const labels = { 'zonefirst.io/zonal-service': 'a' }
  const pretender = service({ metadata: { name: 'web-in-a', namespace: 'shop', uid: 'x', labels } })
  t.strictSame(foreignNames(input({ neighbours: new Map([['web-in-a', pretender]]) }), 'web-in'), [
    'web-in-a',
  ])
})

t.test('zonal Services that are overdue', async (t) => {
  const zonal = ['a', 'eu-west-1a'].map((key) => zonalService(service(), 'web-in', { zone: key, key }))
  const [first] = zonal as [Service]
  t.strictSame(overdueZonalServices(input({ zonalServices: zonal })), [])
  const primary = service({ spec: { selector: { app: 'other' } } })
  t.match(overdueZonalServices(input({ primary, zonalServices: zonal })), [
    {
      metadata: { name: 'web-in-a' },
      spec: { selector: { app: 'other', 'zonefirst.io/serves': 'a' } },
    },
    {
      metadata: { name: 'web-in-eu-west-1a' },
      spec: { selector: { app: 'other', 'zonefirst.io/serves': 'eu-west-1a' } },
    },
  ])
  const odd = { ...first, metadata: { ...first.metadata, labels: { 'zonefirst.io/zonal-service': 'bb' } } }
  t.strictSame(overdueZonalServices(input({ primary, zonalServices: [odd] })), [], 'no name is made up')
})
