import t from 'tap'
import { dryRun } from '../../annotator/dry-run.ts'
import { writePod } from '../../annotator/write/write-pod.ts'
import type { ApiRequest, Kube } from '../../lib/kube.ts'
import { input, pod } from '../fixtures/cluster-objects.ts'

t.test('reads are sent, writes are told, each once', async (t) => {
  const sent: string[] = []
  const told: unknown[] = []
  const kube = {
    request: async ({ method, path }: ApiRequest) => {
      sent.push(`${method} ${path}`)
      return { kind: 'Service' }
    },
    stream: async () => ({ statusCode: 200 }),
    close() {},
  } as unknown as Kube
  const { kube: dry } = dryRun(kube, (write) => told.push(write))

  const path = '/api/v1/namespaces/shop/services/web'
  t.strictSame(await dry.request({ method: 'GET', path }), { kind: 'Service' })
  const body = { metadata: { name: 'web' } }
  t.strictSame(await dry.request({ method: 'PATCH', path, body }), body)
  await dry.request({ method: 'PATCH', path, body })
  await dry.request({ method: 'DELETE', path })
  await dry.request({ method: 'PATCH', path, body })
  await dry.request({ method: 'POST', path: '/api/v1/namespaces/shop/events', body })
  await dry.request({ method: 'PATCH', path: '/api/v1/namespaces/shop/events/web.1', body })
  t.strictSame(sent, [`GET ${path}`])
  t.strictSame(told, [
    { method: 'PATCH', path, body },
    { method: 'DELETE', path, body: undefined },
    { method: 'PATCH', path, body },
  ])
  t.equal((await dry.stream({ method: 'GET', path })).statusCode, 200)
})

t.test('a stamp that was told counts as written, for that very pod', async (t) => {
  const none = { zone: undefined, zoneKey: undefined, serves: undefined }
  const labels = { app: 'web', 'zonefirst.io/enabled': 'true' }
  const [bare, other] = [pod('web-1', 'a', { ...none, labels }), pod('web-2', 'b', { ...none, labels })]
  const { kube, asWritten } = dryRun({} as Kube, () => {})
  await writePod({ kind: 'write-pod', pod: bare, zone: 'a', zoneKey: 'a', serves: 'a' }, { kube })
  const later = pod('web-1', 'a', { ...none, labels, uid: 'uid-later' })
  const [first, second] = asWritten(input({ pods: [bare, other] })).pods
  t.strictSame(first, pod('web-1', 'a'))
  t.strictSame(second, other)
  t.strictSame(asWritten(input({ pods: [later] })).pods, [later])
})
