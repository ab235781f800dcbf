import t from 'tap'
import type { ApiRequest, Kube } from '../../lib/kube.ts'
import { listPages } from '../../lib/list-pages.ts'

const named = (name: string) => ({ metadata: { name } })

t.test('page after page, until there is no more', async (t) => {
  const asked: ApiRequest['query'][] = []
  const pages = [
    { metadata: { resourceVersion: '7', continue: 'more' }, items: [named('a'), named('b')] },
    { metadata: { resourceVersion: '7' }, items: [named('c')] },
  ]
  const kube = {
    async request({ query }: ApiRequest) {
      asked.push(query)
      return pages[asked.length - 1]
    },
  } as unknown as Kube
  const query = { fieldSelector: 'spec.nodeName=' }
  const { signal } = new AbortController()
  const found: unknown[] = []
  for await (const page of listPages({ kube, path: '/api/v1/pods', query, signal })) found.push(page)
  t.strictSame(found, [
    { items: [named('a'), named('b')], version: '7' },
    { items: [named('c')], version: '7' },
  ])
  t.strictSame(asked, [
    { ...query, limit: 500, continue: undefined },
    { ...query, limit: 500, continue: 'more' },
  ])
})

t.test('an empty list of metadata, whose items are null', async (t) => {
  const requests: ApiRequest[] = []
  const kube = {
    async request(request: ApiRequest) {
      requests.push(request)
      return { metadata: { resourceVersion: '7' }, items: null }
    },
  } as unknown as Kube
  const { signal } = new AbortController()
  for await (const { items } of listPages({ kube, path: '/x', metadataOnly: true, signal })) {
    t.strictSame(items, [])
  }
  t.match(requests, [{ accept: /PartialObjectMetadataList/ }])
})
