import t from 'tap'
import {
  ApiError,
  type ApiRequest,
  isConflict,
  isFieldConflict,
  isGone,
  isNamespaceTerminating,
  isNotFound,
  isRejected,
  mergePatch,
  readAll,
} from '../../lib/kube.ts'
import { sendJson, sendStatus, startApiServer } from '../fixtures/api-server.ts'

t.test('a request carries method, query, headers, credentials and body', async (t) => {
  const server = await startApiServer(async (request, response) => {
    const body = await readAll(request)
    const { method, url, headers } = request
    sendJson(response, 200, { method, url, headers, body })
  })
  t.teardown(() => server.close())
  const seen = await server.kube.request<{
    method: string
    url: string
    headers: Record<string, string>
    body: string
  }>({
    method: 'PATCH',
    path: '/api/v1/pods/x',
    query: { fieldManager: 'me', limit: 5, absent: undefined, labelSelector: 'a=b,c!=d' },
    body: { name: 'é' },
    contentType: mergePatch,
    accept: 'application/json;as=x',
  })
  t.equal(seen.method, 'PATCH')
  t.equal(seen.url, '/api/v1/pods/x?fieldManager=me&limit=5&labelSelector=a%3Db%2Cc%21%3Dd')
  t.equal(seen.body, '{"name":"é"}')
  t.match(seen.headers, {
    authorization: 'Bearer secret-token',
    'content-type': mergePatch,
    'content-length': '13',
    accept: 'application/json;as=x',
    'user-agent': 'zonefirst',
  })
})

t.test('one connection serves requests that follow each other', async (t) => {
  const ports = new Set<number | undefined>()
  const server = await startApiServer((request, response) => {
    ports.add(request.socket.remotePort)
    sendJson(response, 200, {})
  })
  t.teardown(() => server.close())
  for (let at = 0; at < 3; at += 1) await server.kube.request({ method: 'GET', path: '/api' })
  t.equal(ports.size, 1)
})

t.test('refusals are errors that can be told apart', async (t) => {
  const answers: Record<string, [number, string]> = {
    '/gone': [410, 'Expired'],
    '/none': [404, 'NotFound'],
    '/conflict': [409, 'Conflict'],
    '/forbidden': [403, 'Forbidden'],
    '/invalid': [422, 'Invalid'],
  }
  const server = await startApiServer((_request, response, { pathname }) => {
    if (pathname === '/field-conflict') {
      const details = { causes: [{ reason: 'FieldManagerConflict', field: '.x' }] }
      return sendJson(response, 409, { message: 'owned', reason: 'Conflict', details })
    }
    if (pathname === '/ending') {
      const details = { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] }
      return sendJson(response, 403, { message: 'ending', reason: 'Forbidden', details })
    }
    const [status, reason] = answers[pathname] ?? []
    if (status && reason) return sendStatus(response, status, reason)
    response.writeHead(502).end('<html>bad gateway</html>')
  })
  t.teardown(() => server.close())
  const fail = (path: string) =>
    server.kube.request({ method: 'GET', path }).then(
      () => t.fail('no error'),
      (error: ApiError) => error,
    ) as Promise<ApiError>

  const none = await fail('/none')
  t.type(none, ApiError)
  t.match(none, { status: 404, reason: 'NotFound', message: 'GET /none: 404 refused: NotFound' })
  const kinds = async (path: string) => {
    const error = await fail(path)
    const all = [isNotFound, isConflict, isFieldConflict, isRejected, isNamespaceTerminating, isGone]
    return all.filter((is) => is(error)).map((is) => is.name)
  }
  t.strictSame(await kinds('/none'), ['isNotFound'])
  t.strictSame(await kinds('/conflict'), ['isConflict'])
  t.strictSame(await kinds('/field-conflict'), ['isConflict', 'isFieldConflict'])
  t.strictSame(await kinds('/forbidden'), ['isRejected'])
  t.strictSame(await kinds('/invalid'), ['isRejected'])
  t.strictSame(await kinds('/ending'), ['isRejected', 'isNamespaceTerminating'])
  t.strictSame(await kinds('/gone'), ['isGone'])
  t.match(await fail('/elsewhere'), { status: 502, reason: '', message: /502 <html>bad gateway/ })
  t.notOk(isNotFound(new Error('404')), 'text is no status')
})

t.test('what is said of a Secret that was sent is kept from the error, since it may be quoted', async (t) => {
  const server = await startApiServer(async (request, response) => {
    const message = `refused: ${await readAll(request)}`
    sendJson(response, 422, { kind: 'Status', message, reason: 'Invalid' })
  })
  t.teardown(() => server.close())
  const path = '/api/v1/namespaces/system/secrets'
  const body = { data: { 'tls.key': 'a2V5' } }
  const refused = (request: Pick<ApiRequest, 'method' | 'path'> & { body?: object }) =>
    server.kube.request(request).then(() => '', String)
  t.equal(await refused({ method: 'POST', path, body }), `ApiError: POST ${path}: 422 Invalid`)
  t.equal(await refused({ method: 'PUT', path: `${path}/x`, body }), `ApiError: PUT ${path}/x: 422 Invalid`)
  t.match(await refused({ method: 'GET', path }), '422 refused: ')
  t.match(await refused({ method: 'POST', path: '/api/v1/pods', body }), 'a2V5')
})

t.test('a signal ends a request that hangs', async (t) => {
  const server = await startApiServer(() => {})
  t.teardown(() => server.close())
  await t.rejects(server.kube.request({ method: 'GET', path: '/', signal: AbortSignal.timeout(20) }), {
    name: 'AbortError',
  })
})
