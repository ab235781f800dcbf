import t from 'tap'
import { type Event, postEvent } from '../../../annotator/events/events.ts'
import { ApiError, type ApiRequest, type Kube } from '../../../lib/kube.ts'

const event: Event = {
  regarding: { kind: 'Service', namespace: 'shop', name: 'web', uid: 'uid-web' },
  type: 'Warning',
  reason: 'NoZones',
  message: 'left alone: no Node has a zone',
}
const at = new Date('2030-01-01T12:00:00.250Z')

/** An API server that has the Event already where `count` is given. */
function events(count?: number) {
  const requests: ApiRequest[] = []
  const kube = {
    async request(request: ApiRequest) {
      requests.push(request)
      if (request.method === 'POST' && count !== undefined) throw new ApiError(request, 409, '{}')
      return { count }
    },
  } as unknown as Kube
  return { kube, requests }
}

function nameIn([request]: readonly ApiRequest[]): string {
  const body = request?.body as { metadata: { name: string } } | undefined
  return body?.metadata.name ?? ''
}

t.test('the same Event again raises its count', async (t) => {
  const first = events()
  await postEvent(first.kube, event, at)
  t.match(first.requests, [
    {
      method: 'POST',
      path: '/api/v1/namespaces/shop/events',
      body: {
        involvedObject: { kind: 'Service', uid: 'uid-web' },
        reason: 'NoZones',
        type: 'Warning',
        count: 1,
        lastTimestamp: '2030-01-01T12:00:00Z',
      },
    },
  ])
  const name = nameIn(first.requests)
  const again = events(3)
  await postEvent(again.kube, event, at)
  t.match(again.requests, [
    { method: 'POST' },
    { method: 'GET', path: `/api/v1/namespaces/shop/events/${name}` },
    { method: 'PATCH', body: { count: 4, lastTimestamp: '2030-01-01T12:00:00Z' } },
  ])
})

t.test('another message, and another object of the same name, are other Events; names fit', async (t) => {
  const nameOf = async (changed: Partial<Event>) => {
    const { kube, requests } = events()
    await postEvent(kube, { ...event, ...changed }, at)
    return nameIn(requests)
  }
  const { regarding } = event
  const names = await Promise.all([
    nameOf({}),
    nameOf({ message: 'else' }),
    nameOf({ regarding: { ...regarding, uid: 'uid-later' } }),
  ])
  t.equal(new Set(names).size, 3)
  const long = await nameOf({ regarding: { ...regarding, kind: 'Pod', name: 'x'.repeat(253) } })
  t.ok(long.length <= 253)
})
