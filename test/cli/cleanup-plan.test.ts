import t from 'tap'
import { dialects } from '../../annotator/plan/dialects/all.ts'
import { cleanupSteps, isOurRecord, recordPaths } from '../../cli/cleanup/plan.ts'
import { healthyParts } from '../fixtures/inspection.ts'

const { snapshot } = await healthyParts()
const all = Object.values(dialects)

t.test('annotations go before zonal Services, and those before marks on pods', async (t) => {
  const lease = { metadata: { name: 'zonefirst-annotator', namespace: 'zonefirst-system', uid: 'uid-lease' } }
  const [path = ''] = recordPaths('zonefirst-system')
  const pods = [
    ...snapshot.pods,
    // opted out meanwhile, and bare
    {
      metadata: { namespace: 'shop', name: 'out', uid: 'uid-out', annotations: { 'zonefirst.io/zone': 'a' } },
    },
    { metadata: { namespace: 'shop', name: 'bare', labels: { 'zonefirst.io/enabled': 'true' } } },
  ]
  const steps = cleanupSteps({ snapshot, pods, records: [{ path, object: { value: lease } }] }, all)
  t.strictSame(
    steps.map(({ kind, target }) => `${kind} ${target}`),
    [
      'annotation Service shop/web',
      'zonal-service Service shop/web-in-a',
      'zonal-service Service shop/web-in-b',
      'pod Pod shop/web-1',
      'pod Pod shop/web-2',
      'pod Pod haproxy-controller/proxy-a',
      'pod Pod haproxy-controller/proxy-b',
      'pod Pod shop/out',
      'record Lease zonefirst-system/zonefirst-annotator',
    ],
  )
  t.match(steps[0]?.request, {
    method: 'PATCH',
    path: '/api/v1/namespaces/shop/services/web',
    body: { metadata: { uid: 'uid-web', annotations: { 'backend.zonefirst.io/servers': null } } },
  })
  t.strictSame(steps[1]?.request.body, { preconditions: { uid: 'uid-web-in-a' } })
  t.strictSame(steps[3]?.request.body, {
    metadata: {
      uid: 'uid-web-1',
      annotations: { 'zonefirst.io/zone': null, 'zonefirst.io/zone-key': null },
      labels: { 'zonefirst.io/serves': null },
    },
  })
  t.equal(steps[7]?.what, 'zonefirst.io/zone', 'only what is there')
})

t.test('a user’s own text under an annotation of a dialect stays', async (t) => {
  const changed = structuredClone(snapshot)
  changed.services[0].metadata.annotations = {
    'haproxy.org/backend-config-snippet': 'http-send-name-header x-server',
  }
  const steps = cleanupSteps({ snapshot: changed, pods: [], records: [] }, all)
  t.strictSame(
    steps.filter(({ kind }) => kind === 'annotation'),
    [],
  )
})

t.test('Secrets are ours where our program made them, and nobody uses them', async (t) => {
  const secret = (manager: string) => ({ kind: 'Secret', metadata: { managedFields: [{ manager }] } })
  t.equal(isOurRecord(secret('zonefirst-certs'), false), true)
  t.equal(isOurRecord(secret('zonefirst-certs'), true), false)
  t.equal(isOurRecord(secret('cert-manager-certificates-issuing'), false), false)
  t.equal(isOurRecord({ kind: 'Lease', metadata: {} }, true), true)
})
