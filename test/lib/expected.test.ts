import t from 'tap'
import { undefinedWhere } from '../../lib/expected.ts'
import { ApiError, isConflict, isNotFound } from '../../lib/kube.ts'

const refused = (status: number) => Promise.reject(new ApiError({ method: 'GET', path: '/x' }, status, '{}'))

t.test('what is expected is undefined, all else is as it is', async (t) => {
  t.equal(await undefinedWhere([isNotFound, isConflict], refused(404)), undefined)
  t.equal(await undefinedWhere([isNotFound, isConflict], refused(409)), undefined)
  await t.rejects(undefinedWhere([isNotFound], refused(409)), { message: /: 409 / })
  t.equal(await undefinedWhere([isNotFound], Promise.resolve(7)), 7)
})
