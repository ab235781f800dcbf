import t from 'tap'
import { readSecret, textIn, untilAgreed, writeSecret } from '../../certs/secrets.ts'
import { ApiError, type ApiRequest, type Kube } from '../../lib/kube.ts'

const request = { method: 'GET', path: '/' } as const
const conflict = new ApiError(request, 409, '{}')

function setUp(answer: unknown) {
  const seen: ApiRequest[] = []
  const kube: Kube = {
    request: async <T>(request: ApiRequest) => {
      seen.push(request)
      if (answer instanceof Error) throw answer
      return answer as T
    },
    stream: () => Promise.reject(new Error('not a watch')),
    close: () => {},
  }
  return { seen, reference: { kube, namespace: 'system', name: 'tls' } }
}

t.test('a Secret that is not there is no error, any other refusal is', async (t) => {
  t.equal(await readSecret(setUp(new ApiError(request, 404, '{}')).reference), undefined)
  await t.rejects(readSecret(setUp(new ApiError(request, 403, '{}')).reference), /403/)
})

t.test('a new one is created, one that was read is replaced as it was read', async (t) => {
  const created = setUp({})
  await writeSecret(created.reference, undefined, { 'tls.crt': 'é' })
  t.match(created.seen, [
    {
      method: 'POST',
      path: '/api/v1/namespaces/system/secrets',
      query: { fieldManager: 'zonefirst-certs' },
      body: {
        metadata: { name: 'tls', namespace: 'system' },
        type: 'kubernetes.io/tls',
        data: { 'tls.crt': 'w6k=' },
      },
    },
  ])
  const replaced = setUp({})
  const before = {
    metadata: { name: 'tls', resourceVersion: '7', labels: { theirs: 'kept' } },
    type: 'Opaque',
    data: { 'ca.crt': 'gone' },
  }
  await writeSecret(replaced.reference, before, { 'tls.crt': 'x' })
  t.strictSame(replaced.seen[0]?.body, { ...before, data: { 'tls.crt': 'eA==' } })
  t.match(replaced.seen[0], { method: 'PUT', path: '/api/v1/namespaces/system/secrets/tls' })
})

t.test('texts', async (t) => {
  t.equal(textIn({ data: { a: 'w6k=' } }, 'a'), 'é')
  t.equal(textIn({ data: { a: 'w6k=' } }, 'b'), '')
  t.equal(textIn(undefined, 'a'), '')
})

t.test('a conflict is tried again, but not for ever; nothing else is', async (t) => {
  let left = 3
  const agree = async () => {
    left -= 1
    if (left > 0) throw conflict
    return 'done'
  }
  t.equal(await untilAgreed(agree), 'done')

  let tries = 0
  const never = async () => {
    tries += 1
    throw conflict
  }
  await t.rejects(untilAgreed(never), conflict)
  t.equal(tries, 10)

  tries = 0
  const broken = async () => {
    tries += 1
    throw new Error('broken')
  }
  await t.rejects(untilAgreed(broken), /broken/)
  t.equal(tries, 1)
})
