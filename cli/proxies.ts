// Pure: the ingress controllers' pods that opted in, as the API has them.
import { keepPod } from '../annotator/objects/objects.ts'
import type { Pod, Snapshot } from './snapshot.ts'

/** Those that have not ended, and are not about to. */
export function proxiesOf({ pods }: Pick<Snapshot, 'pods'>): Pod[] {
  return pods.filter((pod) => {
    const { proxy, ended } = keepPod(pod)
    return proxy !== undefined && !ended
  })
}

/** Of these, those that take traffic. */
export function readyProxiesOf(snapshot: Pick<Snapshot, 'pods'>): Pod[] {
  return proxiesOf(snapshot).filter((pod) => keepPod(pod).isReadyProxy)
}
