import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { ConfigMaps } from '../../../annotator/cluster/config-maps.ts'
import { until } from '../../cluster/until.ts'
import { sendStatus, startApiServer } from '../../fixtures/api-server.ts'

/** An API server of ConfigMaps by `namespace/name`; null is one that may not be read. */
async function setUp(t: Test, contents: Record<string, Record<string, string> | null>) {
  const watches = new Map<string, ServerResponse>()
  const asked: string[] = []
  const server = await startApiServer((_request, response, url) => {
    const [, namespace = ''] = /\/namespaces\/([^/]+)\/configmaps$/.exec(url.pathname) ?? []
    const name = url.searchParams.get('fieldSelector')?.replace('metadata.name=', '') ?? ''
    const key = `${namespace}/${name}`
    asked.push(key)
    const data = contents[key]
    if (data === null) return sendStatus(response, 403, 'Forbidden')
    response.writeHead(200, { 'content-type': 'application/json' })
    watches.set(key, response)
    const send = (type: string, object: object) => response.write(`${JSON.stringify({ type, object })}\n`)
    if (data) send('ADDED', { metadata: { namespace, name, resourceVersion: '1' }, data })
    const annotations = { 'k8s.io/initial-events-end': 'true' }
    send('BOOKMARK', { metadata: { resourceVersion: '1', annotations } })
  })
  let changes = 0
  const failures: Error[] = []
  const configMaps = new ConfigMaps({
    kube: server.kube,
    onChange: () => {
      changes += 1
    },
    onError: (error) => failures.push(error),
  })
  t.teardown(() => {
    configMaps.stop()
    server.close()
  })
  return { configMaps, asked, failures, changes: () => changes }
}

t.test('those that are named, and no others', async (t) => {
  const { configMaps, asked, changes } = await setUp(t, { 'a/one': { check: 'false' }, 'b/two': {} })
  configMaps.follow(new Set(['a/one', 'b/none']))
  await until('the one is known', () => configMaps.contents.length === 1)
  t.strictSame(configMaps.contents, [{ check: 'false' }])
  t.ok(changes() > 0)
  configMaps.follow(new Set(['a/one']))
  configMaps.follow(new Set(['b/two']))
  await until('the other one is known instead', () => configMaps.contents.some((data) => !data.check))
  t.strictSame(configMaps.contents, [{}])
  t.strictSame([...new Set(asked)].sort(), ['a/one', 'b/none', 'b/two'], 'nothing else was asked for')
  t.equal(configMaps.isUnread('a/one') || configMaps.isUnread('b/none'), false)
})

t.test('one that may not be read', async (t) => {
  const { configMaps, changes, failures } = await setUp(t, { 'a/secret': null })
  t.equal(configMaps.isUnread('a/secret'), false, 'nobody has asked yet')
  configMaps.follow(new Set(['a/secret']))
  await until('it is known to be unread', () => configMaps.isUnread('a/secret'))
  t.strictSame(configMaps.contents, [])
  t.equal(changes(), 1)
  t.match(failures[0], { status: 403 })
  configMaps.follow(new Set())
  t.equal(configMaps.isUnread('a/secret'), false)
})
