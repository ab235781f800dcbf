import t from 'tap'
import { leaseStore } from '../../../annotator/leader/lease-store.ts'
import { readAll } from '../../../lib/kube.ts'
import { sendJson, sendStatus, startApiServer } from '../../fixtures/api-server.ts'

const collection = '/apis/coordination.k8s.io/v1/namespaces/system/leases'
const { signal } = new AbortController()
const spec = { holderIdentity: 'me' }
const before = { metadata: { name: 'leader', namespace: 'system', resourceVersion: '7' }, spec: {} }

t.test('it is read, created, and changed in the version that was read', async (t) => {
  const seen: unknown[] = []
  const server = await startApiServer(async (request, response) => {
    const text = await readAll(request)
    seen.push([request.method, request.url, text === '' ? undefined : JSON.parse(text)])
    sendJson(response, 200, before)
  })
  t.teardown(() => server.close())
  const store = leaseStore(server.kube, 'system', 'leader')
  await store.read(signal)
  await store.write(undefined, spec, signal)
  t.strictSame(await store.write(before, spec, signal), before)
  const metadata = { name: 'leader', namespace: 'system' }
  const created = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
  t.strictSame(seen, [
    ['GET', `${collection}/leader`, undefined],
    ['POST', collection, created],
    ['PUT', `${collection}/leader`, { ...before, spec }],
  ])
})

t.test('what somebody else did first is no error, everything else is', async (t) => {
  const answers: Record<string, [number, string]> = {
    GET: [404, 'NotFound'],
    POST: [409, 'AlreadyExists'],
    PUT: [409, 'Conflict'],
  }
  let isDown = false
  const server = await startApiServer(({ method = '' }, response) => {
    const [status, reason] = isDown ? ([500, 'InternalError'] as const) : (answers[method] ?? [500, ''])
    sendStatus(response, status, reason)
  })
  t.teardown(() => server.close())
  const store = leaseStore(server.kube, 'system', 'leader')
  t.equal(await store.read(signal), undefined)
  t.equal(await store.write(undefined, spec, signal), undefined)
  t.equal(await store.write(before, spec, signal), undefined)
  isDown = true
  await t.rejects(store.read(signal), { message: / 500 / })
  await t.rejects(store.write(before, spec, signal), { message: / 500 / })
})
