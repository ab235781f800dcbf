// What the API server knows of a pod and a node: the caches first, one GET where they don't have it. Memory follows
// the number of pending pods and of nodes, of which only what is asked for is kept.
import { Informer } from '../lib/informer.ts'
import { acceptMetadata, isNotFound, type Kube, type KubeObject } from '../lib/kube.ts'
import { enabledLabel } from '../lib/names.ts'
import { zoneOf } from '../lib/zone.ts'
import type { PodReference } from './stamp.ts'

/** Called only when the API server has to be asked: what it returns ends the request. */
export type Deadline = () => AbortSignal

export interface Lookup {
  /** Rejects where the API server can't be asked. */
  pod(pod: PodReference, deadline: Deadline): Promise<'opted-in' | 'not-opted-in' | 'pod-gone'>
  /** Rejects where the API server can't be asked. */
  zone(nodeName: string, deadline: Deadline): Promise<{ zone: string } | 'node-gone' | 'node-without-zone'>
}

interface SlimPod {
  uid: string
  optedIn: boolean
}

export interface Informers {
  pods: Informer<SlimPod>
  /** The zone; empty where the Node has none. */
  nodes: Informer<string>
}

/** So many questions are open that no further one is asked. */
export class Shed extends Error {
  override readonly name = 'Shed'
}

/** Not started yet. */
export function buildInformers(kube: Kube, onError: (error: Error) => void): Informers {
  const common = { kube, metadataOnly: true, onError }
  return {
    pods: new Informer({
      ...common,
      path: '/api/v1/pods',
      query: { fieldSelector: 'spec.nodeName=' },
      project: slimPod,
    }),
    nodes: new Informer({ ...common, path: '/api/v1/nodes', project: zoneText }),
  }
}

/**
 * `maxWaiting` bounds the questions that are open at a time: beyond it a lookup rejects with Shed, at once. What the
 * caches know is answered all the same.
 */
export function buildLookup(kube: Kube, informers: Informers, maxWaiting: number): Lookup {
  let waiting = 0

  async function getMetadata(path: string, deadline: Deadline): Promise<KubeObject | undefined> {
    if (waiting >= maxWaiting) throw new Shed(`${waiting} reviews wait for the API server already`)
    waiting += 1
    try {
      return await kube.request<KubeObject>({
        method: 'GET',
        path,
        accept: acceptMetadata,
        signal: deadline(),
      })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    } finally {
      waiting -= 1
    }
  }

  return {
    async pod({ namespace, name, uid }, deadline) {
      const isMeant = (pod: SlimPod | undefined) => pod !== undefined && (uid === '' || pod.uid === uid)
      let pod = informers.pods.get(namespace, name)
      if (!isMeant(pod)) {
        const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
        const found = await getMetadata(path, deadline)
        pod = found && slimPod(found)
      }
      if (pod === undefined || !isMeant(pod)) return 'pod-gone'
      return pod.optedIn ? 'opted-in' : 'not-opted-in'
    },

    async zone(nodeName, deadline) {
      let zone = informers.nodes.get('', nodeName)
      if (zone === undefined) {
        const found = await getMetadata(`/api/v1/nodes/${encodeURIComponent(nodeName)}`, deadline)
        if (found === undefined) return 'node-gone'
        zone = zoneText(found)
      }
      return zone === '' ? 'node-without-zone' : { zone }
    },
  }
}

function slimPod({ metadata }: KubeObject): SlimPod {
  return { uid: metadata.uid ?? '', optedIn: metadata.labels?.[enabledLabel] === 'true' }
}

function zoneText({ metadata }: KubeObject): string {
  return zoneOf(metadata.labels) ?? ''
}
