import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import t from 'tap'
import type { ApiRequest, Kube } from '../../lib/kube.ts'
import { type WatchEvent, type WatchOptions, watch } from '../../lib/watch.ts'

const named = (name: string) => ({ metadata: { name } })

/** An API server whose answers are the given chunks, and then end, or stay open where there are none. */
function answering(chunks: readonly string[] | undefined, statusCode = 200) {
  const requests: ApiRequest[] = []
  const kube = {
    async stream(request: ApiRequest) {
      requests.push(request)
      const stream = chunks === undefined ? new Readable({ read() {} }) : Readable.from(chunks)
      request.signal?.addEventListener('abort', () => stream.destroy(request.signal?.reason))
      return Object.assign(stream, { statusCode }) as unknown as IncomingMessage
    },
  } as unknown as Kube
  const usual = { kube, path: '/api/v1/pods', silenceLimit: 60_000, signal: new AbortController().signal }
  const found: WatchEvent[][] = []
  const run = async (options: Partial<WatchOptions> & Pick<WatchOptions, 'version'>) => {
    for await (const events of watch({ ...usual, ...options })) {
      const batch: WatchEvent[] = []
      found.push(batch)
      for (const event of events) batch.push(event)
    }
  }
  return { requests, found, run }
}

t.test('goes on from a version, or begins with all objects', async (t) => {
  const { requests, run } = answering([])
  const query = { labelSelector: 'a=b' }
  await run({ version: '7', query })
  await run({ version: undefined, metadataOnly: true })
  const common = { watch: true, allowWatchBookmarks: true, timeoutSeconds: Number }
  t.match(requests, [
    { path: '/api/v1/pods', query: { ...query, ...common, resourceVersion: '7' } },
    { query: { ...common, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } },
  ])
  t.notOk(requests[1]?.query && 'resourceVersion' in requests[1].query)
  t.match(requests[1]?.accept, /PartialObjectMetadata/)
})

t.test('events as many at a time as have come, wherever the text is cut', async (t) => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ type: 'ADDED' as const, object: named(name) }))
  const text = [a, b, c].map((event) => `${JSON.stringify(event)}\n`).join('')
  const cut = text.indexOf('"c"')
  const { found, run } = answering([text.slice(0, cut), text.slice(cut)])
  await run({ version: '7' })
  t.strictSame(found, [[a, b], [c]])
})

t.test('an error among the events comes after those before it', async (t) => {
  const added = { type: 'ADDED' as const, object: named('a') }
  const error = { type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } }
  const { found, run } = answering([`${JSON.stringify(added)}\n${JSON.stringify(error)}\n`])
  await t.rejects(run({ version: '7' }), { name: 'ApiError', status: 410, reason: 'Expired' })
  t.strictSame(found, [[added]])
})

t.test('a refusal throws', async (t) => {
  const { run } = answering(['{"reason":"Forbidden"}'], 403)
  await t.rejects(run({ version: '7' }), { name: 'ApiError', status: 403, reason: 'Forbidden' })
})

t.test('one that goes silent has lost its connection', async (t) => {
  const { run } = answering(undefined)
  await t.rejects(run({ version: '7', silenceLimit: 10 }), { message: 'watch of /api/v1/pods went silent' })
})
