import t from 'tap'
import { Problem, problemOf } from '../../cli/problem.ts'
import { ApiError } from '../../lib/kube.ts'

const server = 'https://api.test:6443'
const refused = (status: number, message: string) =>
  new ApiError({ method: 'GET', path: '/api/v1/pods' }, status, JSON.stringify({ message }))
const network = (code: string) => Object.assign(new Error(`connect ${code}`), { code })

t.test('every failure is one sentence and an exit code', async (t) => {
  const rows: [unknown, number, RegExp][] = [
    [new Problem('As it is.', 2), 2, /^As it is\.$/],
    [refused(401, 'Unauthorized'), 3, /does not know these credentials/],
    [
      refused(403, 'pods is forbidden: User "u" cannot list'),
      3,
      /^Permission is missing: pods is forbidden: User "u"/,
    ],
    [refused(503, 'etcd is away'), 3, /^The API server failed: etcd is away\.$/],
    [refused(422, 'no'), 3, /^The API server refused: GET \/api\/v1\/pods: 422 no\.$/],
    [
      network('ECONNREFUSED'),
      3,
      /^Can’t reach the API server at https:\/\/api\.test:6443, as nothing listens there/,
    ],
    [network('ENOTFOUND'), 3, /its name is not known/],
    [network('DEPTH_ZERO_SELF_SIGNED_CERT'), 3, /certificate is not of the authority/],
    [new DOMException('x', 'TimeoutError'), 3, /did not answer in time/],
    [new TypeError('x is not a function'), 4, /^zonefirst itself failed: x is not a function$/],
  ]
  for (const [error, exitCode, sentence] of rows) {
    const problem = problemOf(error, server)
    t.equal(problem.exitCode, exitCode, sentence.source)
    t.match(problem.message, sentence)
  }
})
