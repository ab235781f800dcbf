import t from 'tap'
import { find, list, orEmpty } from '../../cli/reading.ts'
import { ApiError, type ApiRequest, type Kube } from '../../lib/kube.ts'

const refusing = (status: number) =>
  ({
    request: (request: ApiRequest) => Promise.reject(new ApiError(request, status, '{}')),
  }) as unknown as Kube

t.test('what is not there, or may not be seen, is told apart', async (t) => {
  t.strictSame(await find(refusing(404), '/x'), { missing: 'absent' })
  t.strictSame(await find(refusing(403), '/x'), { missing: 'forbidden' })
  await t.rejects(find(refusing(500), '/x'), { message: /: 500 / })
  const kube = { request: async () => ({ metadata: { name: 'x' } }) } as unknown as Kube
  t.strictSame(await find(kube, '/x'), { value: { metadata: { name: 'x' } } })
})

t.test('a list is the items of all its pages', async (t) => {
  const pages = [
    { metadata: { continue: 'more' }, items: [1, 2] },
    { metadata: {}, items: [3] },
  ]
  const kube = { request: async () => pages.shift() } as unknown as Kube
  t.strictSame(await list(kube, '/x'), [1, 2, 3])
})

t.test('a list that only adds to what is shown is empty without the permission', async (t) => {
  t.strictSame(await orEmpty(list(refusing(403), '/x')), [])
  await t.rejects(orEmpty(list(refusing(500), '/x')), { message: /: 500 / })
})
