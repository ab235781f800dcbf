// What an informer knows while all goes well; what happens when it doesn't is in informer-failures.test.ts.
import t from 'tap'
import { sendJson } from '../fixtures/api-server.ts'
import { object, setUp } from '../fixtures/collection.ts'

t.test('a list in pages, then what a watch tells', async (t) => {
  const { collection, informer, content, nextChange } = await setUp(t, {
    query: { fieldSelector: 'spec.nodeName=' },
    metadataOnly: true,
  })
  t.notOk(informer.hasSynced)
  t.equal(informer.lastHeard, 0)
  informer.start()
  await informer.synced()
  t.ok(informer.hasSynced)
  t.ok(informer.lastHeard > 0)
  t.strictSame(content(), ['a@1', 'b@2'])
  t.equal(informer.get('shop', 'a'), 'a@1')
  t.equal(informer.get('other', 'a'), undefined)
  t.strictSame(
    [await nextChange(), await nextChange()],
    [
      { now: 'a@1', before: undefined },
      { now: 'b@2', before: undefined },
    ],
  )
  t.strictSame(
    collection.lists.map(({ search }) => search),
    ['?fieldSelector=spec.nodeName%3D&limit=500', '?fieldSelector=spec.nodeName%3D&limit=500&continue=1'],
  )

  t.equal(await collection.nextWatch(), '2', 'the watch begins where the list ended')
  t.match(collection.accepts, [
    /PartialObjectMetadata;/,
    /PartialObjectMetadataList/,
    /PartialObjectMetadataList/,
    /PartialObjectMetadata;/,
  ])
  collection.send('ADDED', object('c', 3))
  t.strictSame(await nextChange(), { now: 'c@3', before: undefined })
  collection.send('MODIFIED', object('a', 4))
  t.strictSame(await nextChange(), { now: 'a@4', before: 'a@1' })
  collection.send('DELETED', object('b', 5))
  t.strictSame(await nextChange(), { now: undefined, before: 'b@2' })
  t.strictSame(content(), ['a@4', 'c@3'])
  t.equal(informer.size, 2)
})

t.test('an empty list of metadata, whose items are null', async (t) => {
  const { collection, informer, content, nextChange } = await setUp(t, { metadataOnly: true })
  collection.refuseList = (response) =>
    sendJson(response, 200, { metadata: { resourceVersion: '2' }, items: null })
  informer.start()
  t.equal(await collection.nextWatch(), '2')
  t.strictSame(content(), [])
  collection.send('ADDED', object('a', 3))
  t.match(await nextChange(), { now: 'a@3' })
})

t.test('an event that comes in pieces, and several at once', async (t) => {
  const { collection, informer, nextChange } = await setUp(t)
  informer.start()
  await collection.nextWatch()
  await nextChange()
  await nextChange()
  const line = (name: string, version: number) =>
    `${JSON.stringify({ type: 'ADDED', object: object(name, version, { é: 'ü' }) })}\n`
  const first = line('c', 3)
  collection.sendRaw(first.slice(0, 20))
  collection.sendRaw(first.slice(20) + line('d', 4) + line('e', 5).slice(0, 5))
  t.match(await nextChange(), { now: 'c@3' })
  t.match(await nextChange(), { now: 'd@4' })
  collection.sendRaw(line('e', 5).slice(5))
  t.match(await nextChange(), { now: 'e@5' })
})

t.test('a watch goes on where the last one ended, bookmarks included', async (t) => {
  const { collection, informer, nextChange, nextError } = await setUp(t)
  informer.start()
  t.equal(await collection.nextWatch(), '2')
  collection.send('ADDED', object('c', 3))
  t.match(await nextChange(), { now: 'a@1' })
  t.match(await nextChange(), { now: 'b@2' })
  t.match(await nextChange(), { now: 'c@3' })
  collection.end()
  t.equal(await collection.nextWatch(), '3', 'after an end in peace')
  collection.send('BOOKMARK', { metadata: { resourceVersion: '40' } })
  collection.end()
  t.equal(await collection.nextWatch(), '40', 'after a bookmark')
  collection.cut()
  await nextError()
  t.equal(await collection.nextWatch(), '40', 'after a cut connection')
  t.equal(collection.lists.length, 2, 'without another list')
})

t.test('a change of what is not kept is no change', async (t) => {
  const { collection, informer, nextChange } = await setUp(t, {
    project: ({ metadata }) => `${metadata.labels?.app}`,
  })
  collection.items = [object('a', 1, { app: 'web' })]
  informer.start()
  t.strictSame(await nextChange(), { now: 'web', before: undefined })
  await collection.nextWatch()
  collection.send('MODIFIED', object('a', 2, { app: 'web', note: 'new' }))
  collection.send('MODIFIED', object('a', 3, { app: 'shop' }))
  t.strictSame(await nextChange(), { now: 'shop', before: 'web' })
})

t.test('a list that is streamed as the beginning of a watch', async (t) => {
  const { collection, informer, content, nextChange, nextError } = await setUp(t, { metadataOnly: true })
  collection.refusesStream = undefined
  informer.start()
  const url = await collection.nextWatchUrl()
  t.match(Object.fromEntries(url.searchParams), {
    watch: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: 'true',
  })
  t.notOk(url.searchParams.has('resourceVersion'), 'as new as the API server has it')
  collection.send('ADDED', object('a', 1))
  t.match(await nextChange(), { now: 'a@1' })
  collection.send('BOOKMARK', { metadata: { resourceVersion: '1' } })
  collection.send('ADDED', object('b', 2))
  t.match(await nextChange(), { now: 'b@2' })
  t.notOk(informer.hasSynced, 'an ordinary bookmark does not end the list')
  collection.sendListEnd(5)
  await informer.synced()
  t.strictSame(content(), ['a@1', 'b@2'])
  collection.send('DELETED', object('a', 6))
  t.strictSame(await nextChange(), { now: undefined, before: 'a@1' })
  t.strictSame(collection.lists, [], 'no page was asked for')

  collection.cut()
  await nextError()
  t.equal(await collection.nextWatch(), '6', 'it goes on where it was')
  // meanwhile b was deleted and c came
  collection.send('ERROR', { kind: 'Status', code: 410, message: 'too old resource version' })
  t.match(await nextError(), { status: 410 })
  t.equal((await collection.nextWatchUrl()).searchParams.get('sendInitialEvents'), 'true')
  collection.send('ADDED', object('c', 8))
  t.match(await nextChange(), { now: 'c@8' })
  t.strictSame(content(), ['b@2', 'c@8'], 'what was known stays until the list is whole')
  collection.sendListEnd(9)
  t.strictSame(await nextChange(), { now: undefined, before: 'b@2' })
  t.strictSame(content(), ['c@8'])
})

t.test('after a stop nothing is asked any more', async (t) => {
  const { collection, informer } = await setUp(t, { timing: { firstRetry: 1, mostRetry: 1 } })
  informer.start()
  await collection.nextWatch()
  informer.stop()
  await new Promise((resolve) => collection.end() ?? setTimeout(resolve, 30))
  t.equal(collection.accepts.length, 4, 'a refused stream, two pages and one watch')
})
