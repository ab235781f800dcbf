// Events, where people look first: `kubectl describe`.
import { createHash } from 'node:crypto'
import { isConflict, type Kube, mergePatch } from '../../lib/kube.ts'
import { fieldManager } from '../../lib/names.ts'

export interface Regarding {
  kind: 'Service' | 'Pod'
  namespace: string
  name: string
  uid: string
}

export interface Event {
  regarding: Regarding
  type: 'Normal' | 'Warning'
  reason: string
  message: string
}

/** Posts one Event; the same one again raises its count, as the API server keeps it for an hour. */
export async function postEvent(kube: Kube, event: Event, now: Date): Promise<void> {
  const { regarding, type, reason, message } = event
  const path = `/api/v1/namespaces/${regarding.namespace}/events`
  const hash = createHash('sha256').update(`${regarding.uid} ${reason} ${message}`).digest('hex').slice(0, 10)
  // an Event's name may have 253 characters, a Service's at most 63, a pod's 253
  const name = `${regarding.name.slice(0, 240)}.${hash}`
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z')
  try {
    await kube.request({
      method: 'POST',
      path,
      query: { fieldManager },
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace: regarding.namespace },
        involvedObject: { apiVersion: 'v1', ...regarding },
        type,
        reason,
        message,
        source: { component: fieldManager },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      },
    })
  } catch (error) {
    if (!isConflict(error)) throw error
    const found = await kube.request<{ count?: number }>({ method: 'GET', path: `${path}/${name}` })
    const body = { lastTimestamp: time, count: (found.count ?? 1) + 1 }
    await kube.request({ method: 'PATCH', path: `${path}/${name}`, contentType: mergePatch, body })
  }
}
