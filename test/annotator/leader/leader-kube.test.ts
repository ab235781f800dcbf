import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { leaderKube, NotLeading } from '../../../annotator/leader/leader-kube.ts'
import { sendJson, startApiServer } from '../../fixtures/api-server.ts'

const request = { method: 'GET' as const, path: '/' }

t.test('requests of the leader go through, others are not sent', async (t) => {
  let requests = 0
  const server = await startApiServer((_request, response) => {
    requests += 1
    sendJson(response, 200, { requests })
  })
  t.teardown(() => server.close())
  const election = { isLeader: true, signal: new AbortController().signal }
  const kube = leaderKube(server.kube, election)
  t.strictSame(await kube.request(request), { requests: 1 })
  election.isLeader = false
  await t.rejects(kube.request(request), NotLeading)
  await t.rejects(kube.stream(request), NotLeading)
  t.equal(requests, 1)
})

t.test('what is under way is aborted when the Lease is lost', async (t) => {
  const arrived = Promise.withResolvers<IncomingMessage>()
  const server = await startApiServer((incoming) => arrived.resolve(incoming))
  t.teardown(() => server.close())
  const lost = new AbortController()
  const kube = leaderKube(server.kube, { isLeader: true, signal: lost.signal })
  const answer = kube.request(request)
  const refused = t.rejects(answer, { name: 'AbortError' })
  const { socket } = await arrived.promise
  const closed = once(socket, 'close')
  lost.abort(new Error('lost'))
  await refused
  await closed
})
