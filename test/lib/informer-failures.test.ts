// An informer is right again after any failure, and asks no more often than it should.
import t from 'tap'
import type { KubeObject } from '../../lib/kube.ts'
import { sendStatus } from '../fixtures/api-server.ts'
import { type Collection, object, setUp } from '../fixtures/collection.ts'

t.test('410, as status or as event: a list again, and what was missed is noticed', async (t) => {
  const ways = {
    status: (collection: Collection) => {
      collection.refuseWatch = (response) => sendStatus(response, 410, 'Expired')
      collection.end()
    },
    event: (collection: Collection) =>
      collection.send('ERROR', {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: 'too old resource version',
      }),
  }
  for (const [way, expire] of Object.entries(ways)) {
    await t.test(way, async (t) => {
      const { collection, informer, content, nextChange, nextError } = await setUp(t)
      informer.start()
      await collection.nextWatch()
      await nextChange()
      await nextChange()
      // during the gap: a deleted, b changed, c came
      collection.items = [object('b', 7), object('c', 8)]
      collection.version = 9
      expire(collection)
      t.match(await nextError(), { status: 410 })
      t.strictSame(
        [await nextChange(), await nextChange(), await nextChange()],
        [
          { now: 'b@7', before: 'b@2' },
          { now: 'c@8', before: undefined },
          { now: undefined, before: 'a@1' },
        ],
      )
      t.strictSame(content(), ['b@7', 'c@8'])
      if (way === 'status') await collection.nextWatch()
      t.equal(await collection.nextWatch(), '9')
    })
  }
})

t.test('an object that can’t be read is told and left out, the others are known', async (t) => {
  for (const refusesStream of [undefined, 422]) {
    const project = ({ metadata }: KubeObject) => {
      if (metadata.labels === undefined) throw new Error('no labels')
      return metadata.name ?? ''
    }
    const { collection, informer, content, nextChange, nextError } = await setUp(t, { project })
    Object.assign(collection, { refusesStream })
    const odd = [
      null,
      {},
      { metadata: null },
      { metadata: { name: '' } },
      { metadata: { name: 'x' } },
    ] as never[]
    collection.items = [...odd, ...collection.items]
    informer.start()
    if (refusesStream === undefined) {
      await collection.nextWatch()
      for (const item of collection.items) collection.send('ADDED', item)
      collection.sendListEnd(5)
    }
    for (const _ of odd.slice(0, 4))
      t.equal((await nextError()).message, 'an object of /api/v1/pods has no name: it is left out')
    const message = "/x of /api/v1/pods is left out, it can't be read: Error: no labels"
    t.equal((await nextError()).message, message)
    await informer.synced()
    t.strictSame(content(), ['a', 'b'])
    t.strictSame(
      [await nextChange(), await nextChange()].map(({ now }) => now),
      ['a', 'b'],
    )

    if (refusesStream !== undefined) await collection.nextWatch()
    collection.send('MODIFIED', { metadata: { name: 'a', namespace: 'shop', resourceVersion: '6' } })
    t.match(await nextError(), { message: /^shop\/a of/ })
    t.strictSame(await nextChange(), { now: undefined, before: 'a' }, 'what it was before is no more')
    collection.send('MODIFIED', object('a', 7))
    t.strictSame(await nextChange(), { now: 'a', before: undefined }, 'and it is back when it can be read')
  }
})

t.test('failures of other kinds: told, and tried again', async (t) => {
  const { collection, informer, nextChange, nextError, content } = await setUp(t)
  collection.refuseList = (response) => {
    collection.refuseList = (next) => {
      collection.refuseList = undefined
      next.destroy()
    }
    sendStatus(response, 500, 'InternalError')
  }
  informer.start()
  t.match(await nextError(), { status: 500 })
  t.match((await nextError()).message, /socket hang up|ECONNRESET/)
  t.equal(await collection.nextWatch(), '2')
  await nextChange()
  await nextChange()

  collection.sendRaw('no JSON\n')
  t.match(await nextError(), { name: 'SyntaxError' })
  t.equal(await collection.nextWatch(), '2')
  collection.send('ERROR', { kind: 'Status', code: 500, message: 'etcd is away' })
  t.match(await nextError(), { status: 500 })
  t.equal(await collection.nextWatch(), '2')
  collection.refuseWatch = (response) => sendStatus(response, 403, 'Forbidden')
  collection.end()
  t.match(await nextError(), { status: 403 })
  await collection.nextWatch()
  t.equal(await collection.nextWatch(), '2')
  collection.send('ADDED', object('c', 3))
  t.match(await nextChange(), { now: 'c@3' })
  t.strictSame(content(), ['a@1', 'b@2', 'c@3'])
})

t.test('a connection that dropped without a close is given up, and opened again', async (t) => {
  const { collection, informer, nextError } = await setUp(t, {
    timing: { firstRetry: 5, mostRetry: 20, silenceLimit: 50 },
  })
  informer.start()
  t.equal(await collection.nextWatch(), '2')
  t.match((await nextError()).message, 'watch of /api/v1/pods went silent')
  t.equal(await collection.nextWatch(), '2')
})

t.test('a streamed list that is cut begins anew', async (t) => {
  const { collection, informer, content, nextChange, nextError } = await setUp(t)
  collection.refusesStream = undefined
  informer.start()
  await collection.nextWatchUrl()
  collection.send('ADDED', object('a', 1))
  await nextChange()
  collection.cut()
  await nextError()
  t.notOk(informer.hasSynced)
  t.equal((await collection.nextWatchUrl()).searchParams.get('sendInitialEvents'), 'true')
  collection.send('ADDED', object('b', 2))
  collection.sendListEnd(3)
  await informer.synced()
  t.strictSame(content(), ['b@2'], 'a was deleted in the gap')
})

t.test('an API server that does not stream lists is asked once; other refusals are failures', async (t) => {
  for (const status of [400, 422]) {
    const { collection, informer, content } = await setUp(t, {
      onError: (error) => t.fail(error.message),
    })
    collection.refusesStream = status
    informer.start()
    await informer.synced()
    t.strictSame(content(), ['a@1', 'b@2'], `${status}: in pages`)
  }
  const { collection, informer, nextError } = await setUp(t)
  collection.refusesStream = 503
  informer.start()
  t.match(await nextError(), { status: 503 })
  collection.refusesStream = undefined
  await collection.nextWatchUrl()
  t.strictSame(collection.lists, [], 'asked to stream again')
})

t.test('reconnects are apart: evenly after a good end, ever further after failures', async (t) => {
  const timing = { firstRetry: 50, mostRetry: 150 }
  const { collection, informer } = await setUp(t, { timing })
  const timeOf = async (count: number, end: () => void) => {
    const startedAt = performance.now()
    for (let at = 0; at < count; at += 1) {
      end()
      await collection.nextWatch()
    }
    return performance.now() - startedAt
  }
  informer.start()
  await collection.nextWatch()
  const good = await timeOf(5, () => collection.end())
  // the first may begin at once, where the watch before it was late to arrive
  t.ok(good >= 4 * 50, `${good} ms for 5 that ended well`)
  const failed = await timeOf(4, () => {
    collection.refuseWatch = (response) => sendStatus(response, 500, 'InternalError')
    collection.end()
  })
  t.ok(failed >= 50 + 100 + 150, `${failed} ms for a good end and three failures`)
})

t.test('a clock that is set back while a watch goes on delays nothing', async (t) => {
  const { collection, informer } = await setUp(t)
  informer.start()
  await collection.nextWatch()
  const dateNow = Date.now
  t.teardown(() => Object.assign(Date, { now: dateNow }))
  Date.now = () => dateNow() - 3_600_000
  collection.end()
  t.equal(await collection.nextWatch(), '2')
})

t.test('a kind that the cluster may not know: no objects and no failure, until it knows it', async (t) => {
  const failures: Error[] = []
  const onError = (error: Error) => failures.push(error)
  const { collection, informer, content, nextChange } = await setUp(t, { mayBeAbsent: true, onError })
  collection.refusesStream = 404
  informer.start()
  await informer.synced()
  t.strictSame(content(), [])
  t.ok(informer.lastHeard > 0, 'the API server itself was heard of')
  collection.refusesStream = undefined
  await collection.nextWatchUrl()
  collection.send('ADDED', object('a', 1))
  t.match(await nextChange(), { now: 'a@1' })
  collection.sendListEnd(1)
  // the definition goes, and with it the objects
  collection.refuseWatch = (response) => sendStatus(response, 404, 'NotFound')
  collection.end()
  t.match(await nextChange(), { now: undefined, before: 'a@1' })
  t.strictSame(failures, [])
})
