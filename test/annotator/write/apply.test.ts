import t from 'tap'
import type { ServiceWrite } from '../../../annotator/plan/plan.ts'
import { apply } from '../../../annotator/write/apply.ts'
import { ApiError, type ApiRequest, type Kube } from '../../../lib/kube.ts'
import { service } from '../../fixtures/cluster-objects.ts'

const primary = service()
const zonal = service({ metadata: { name: 'web-in-a', uid: 'uid-zonal' } })
const writes = {
  zonal: { kind: 'apply-zonal-service', service: zonal },
  deletion: { kind: 'delete-zonal-service', service: zonal },
  annotation: { kind: 'set-annotation', primary, key: 'our/key', value: 'x' },
  removal: { kind: 'remove-annotation', primary, key: 'our/key' },
} satisfies Record<string, ServiceWrite>

function answering(status: number) {
  const requests: ApiRequest[] = []
  const kube = {
    async request(request: ApiRequest) {
      requests.push(request)
      if (status >= 400) throw new ApiError(request, status, '{}')
      return { metadata: { resourceVersion: '8' } }
    },
  } as unknown as Kube
  return { kube, requests }
}

t.test('each names the UID of what it was decided for, and only our own Services are forced', async (t) => {
  const { kube, requests } = answering(200)
  for (const write of Object.values(writes)) await apply(kube, write)
  t.match(requests, [
    { method: 'PATCH', path: '/api/v1/namespaces/shop/services/web-in-a', query: { force: true } },
    { method: 'DELETE', body: { preconditions: { uid: 'uid-zonal' } } },
    { method: 'PATCH', body: { metadata: { uid: 'uid-web', annotations: { 'our/key': 'x' } } } },
    { method: 'PATCH', body: { metadata: { uid: 'uid-web', annotations: { 'our/key': null } } } },
  ])
  for (const { query = {} } of requests.slice(2)) t.notOk('force' in query)
})

t.test('what is taken away may be gone by itself; what is set may not', async (t) => {
  const rows = [
    { write: writes.deletion, expected: [404, 409] },
    { write: writes.removal, expected: [404] },
    { write: writes.zonal, expected: [] },
    { write: writes.annotation, expected: [] },
  ]
  for (const { write, expected } of rows) {
    for (const status of [404, 409, 422, 500]) {
      const result = apply(answering(status).kube, write)
      const name = `${write.kind}, ${status}`
      if ((expected as number[]).includes(status)) t.equal(await result, undefined, name)
      else await t.rejects(result, { name: 'ApiError' }, name)
    }
  }
})
