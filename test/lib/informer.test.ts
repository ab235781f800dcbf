import { EventEmitter, on } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { Informer, type InformerOptions } from '../../lib/informer.ts'
import type { KubeObject } from '../../lib/kube.ts'
import { sendJson, sendStatus, startApiServer } from '../fixtures/api-server.ts'

const object = (name: string, version: number, labels = {}) => ({
  metadata: { name, namespace: 'shop', resourceVersion: String(version), labels },
})

/** A collection whose list and watches the test plays by hand. */
class Collection {
  /** The refusal of a watch that is to begin with a list; undefined where it is streamed. */
  refusesStream: number | undefined = 422
  items = [object('a', 1), object('b', 2)]
  version = 2
  /** How lists and watches are answered, if not as usual. */
  refuseList: ((response: ServerResponse) => void) | undefined
  refuseWatch: ((response: ServerResponse) => void) | undefined
  lists: URL[] = []
  accepts: (string | undefined)[] = []
  readonly #started = new EventEmitter()
  readonly #watches = on(this.#started, 'watch')
  #open: ServerResponse | undefined

  handle(request: IncomingMessage, response: ServerResponse, url: URL): void {
    this.accepts.push(request.headers.accept)
    if (url.searchParams.has('watch')) this.#watch(response, url)
    else this.#list(response, url)
  }

  /** Pages of one object. */
  #list(response: ServerResponse, url: URL): void {
    this.lists.push(url)
    if (this.refuseList) {
      this.refuseList(response)
      return
    }
    const at = Number(url.searchParams.get('continue') ?? 0)
    const items = this.items.slice(at, at + 1)
    const more = at + 1 < this.items.length
    const metadata = { resourceVersion: String(this.version), ...(more && { continue: String(at + 1) }) }
    sendJson(response, 200, { metadata, items })
  }

  #watch(response: ServerResponse, url: URL): void {
    if (url.searchParams.has('sendInitialEvents') && this.refusesStream) {
      sendStatus(response, this.refusesStream, 'Invalid')
      return
    }
    const refuse = this.refuseWatch
    this.refuseWatch = undefined
    if (refuse) refuse(response)
    else {
      this.#open = response
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    }
    this.#started.emit('watch', url)
  }

  /** Resolves when the next watch has begun, with the version it begins at. */
  async nextWatch(): Promise<string | null> {
    return (await this.nextWatchUrl()).searchParams.get('resourceVersion')
  }

  nextWatchUrl(): Promise<URL> {
    return next<URL>(this.#watches)
  }

  /** The end of a streamed list. */
  sendListEnd(version: number): void {
    const annotations = { 'k8s.io/initial-events-end': 'true' }
    this.send('BOOKMARK', { metadata: { resourceVersion: String(version), annotations } })
  }

  send(type: string, changed: object): void {
    this.#open?.write(`${JSON.stringify({ type, object: changed })}\n`)
  }

  sendRaw(text: string): void {
    this.#open?.write(text)
  }

  end(): void {
    this.#open?.end()
  }

  cut(): void {
    this.#open?.destroy()
  }
}

async function next<T>(events: ReturnType<typeof on>): Promise<T> {
  const { value } = await events.next()
  return value?.[0]
}

interface Change {
  now: string | undefined
  before: string | undefined
}

async function start(t: Test, options: Partial<InformerOptions<string>> = {}) {
  const collection = new Collection()
  const server = await startApiServer((...parts) => collection.handle(...parts))
  const events = new EventEmitter()
  const changes = on(events, 'change')
  const errors = on(events, 'fault')
  const informer = new Informer<string>({
    kube: server.kube,
    path: '/api/v1/pods',
    project: ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`,
    onChange: (now, before) => events.emit('change', { now, before }),
    onError: (error) => events.emit('fault', error),
    timing: { firstRetry: 5, mostRetry: 20 },
    ...options,
  })
  t.teardown(() => {
    informer.stop()
    server.close()
  })
  return {
    collection,
    informer,
    content: () => [...informer.values()].sort(),
    nextChange: () => next<Change>(changes),
    nextError: () => next<Error & { status?: number }>(errors),
  }
}

t.test('a list in pages, then what a watch tells', async (t) => {
  const { collection, informer, content, nextChange } = await start(t, {
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
  const { collection, informer, content, nextChange } = await start(t, { metadataOnly: true })
  collection.refuseList = (response) =>
    sendJson(response, 200, { metadata: { resourceVersion: '2' }, items: null })
  informer.start()
  t.equal(await collection.nextWatch(), '2')
  t.strictSame(content(), [])
  collection.send('ADDED', object('a', 3))
  t.match(await nextChange(), { now: 'a@3' })
})

t.test('an event that comes in pieces, and several at once', async (t) => {
  const { collection, informer, nextChange } = await start(t)
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
  const { collection, informer, nextChange, nextError } = await start(t)
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
      const { collection, informer, content, nextChange, nextError } = await start(t)
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

t.test('a change of what is not kept is no change', async (t) => {
  const { collection, informer, nextChange } = await start(t, {
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

t.test('an object that can’t be read is told and left out, the others are known', async (t) => {
  for (const refusesStream of [undefined, 422]) {
    const project = ({ metadata }: KubeObject) => {
      if (metadata.labels === undefined) throw new Error('no labels')
      return metadata.name ?? ''
    }
    const { collection, informer, content, nextChange, nextError } = await start(t, { project })
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
  const { collection, informer, nextChange, nextError, content } = await start(t)
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
  const { collection, informer, nextError } = await start(t, {
    timing: { firstRetry: 5, mostRetry: 20, silenceLimit: 50 },
  })
  informer.start()
  t.equal(await collection.nextWatch(), '2')
  t.match((await nextError()).message, 'watch of /api/v1/pods went silent')
  t.equal(await collection.nextWatch(), '2')
})

t.test('a list that is streamed as the beginning of a watch', async (t) => {
  const { collection, informer, content, nextChange, nextError } = await start(t, { metadataOnly: true })
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

t.test('a streamed list that is cut begins anew', async (t) => {
  const { collection, informer, content, nextChange, nextError } = await start(t)
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
    const { collection, informer, content } = await start(t, {
      onError: (error) => t.fail(error.message),
    })
    collection.refusesStream = status
    informer.start()
    await informer.synced()
    t.strictSame(content(), ['a@1', 'b@2'], `${status}: in pages`)
  }
  const { collection, informer, nextError } = await start(t)
  collection.refusesStream = 503
  informer.start()
  t.match(await nextError(), { status: 503 })
  collection.refusesStream = undefined
  await collection.nextWatchUrl()
  t.strictSame(collection.lists, [], 'asked to stream again')
})

t.test('reconnects are apart: evenly after a good end, ever further after failures', async (t) => {
  const timing = { firstRetry: 50, mostRetry: 150 }
  const { collection, informer } = await start(t, { timing })
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

t.test('after a stop nothing is asked any more', async (t) => {
  const { collection, informer } = await start(t, { timing: { firstRetry: 1, mostRetry: 1 } })
  informer.start()
  await collection.nextWatch()
  informer.stop()
  await new Promise((resolve) => collection.end() ?? setTimeout(resolve, 30))
  t.equal(collection.accepts.length, 4, 'a refused stream, two pages and one watch')
})

t.test('a kind that the cluster may not know: no objects and no failure, until it knows it', async (t) => {
  const failures: Error[] = []
  const onError = (error: Error) => failures.push(error)
  const { collection, informer, content, nextChange } = await start(t, { mayBeAbsent: true, onError })
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
