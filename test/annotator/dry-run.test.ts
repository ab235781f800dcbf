import t from 'tap'
import { dryRunKube } from '../../annotator/dry-run.ts'
import type { ApiRequest, Kube } from '../../lib/kube.ts'

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
  const dry = dryRunKube(kube, (write) => told.push(write))

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
