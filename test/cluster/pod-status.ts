// What the kubelet reports of a pod. Pure.
import type { V1ContainerState, V1Pod, V1PodCondition } from '@kubernetes/client-node'

/** Times as in JSON: client-node's types have Date there. */
export interface ContainerSketch {
  name: string
  image: string
  ready: boolean
  restartCount: number
  state: JSONState
  lastState?: JSONState
}

export type JSONState = {
  [kind in keyof V1ContainerState]: Record<string, string | number>
}

export interface PodStatusSketch {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  conditions: JSONCondition[]
  containerStatuses: (ContainerSketch & { imageID: string; started: boolean })[]
  startTime: string
  hostIP: string
  hostIPs: { ip: string }[]
  podIP?: string
  podIPs?: { ip: string }[]
}

export type JSONCondition = Pick<V1PodCondition, 'type' | 'status'> & {
  lastTransitionTime: string
  reason: string | null
}

/** `before` is what was reported last: conditions keep their times as long as they are the same. */
export function statusOf(
  pod: V1Pod,
  containers: ContainerSketch[],
  addresses: { host: string; pod: string | undefined },
  now: string,
  before: PodStatusSketch | undefined,
): PodStatusSketch {
  const phase = phaseOf(pod, containers)
  const allReady = phase === 'Running' && containers.every(({ ready }) => ready)
  const condition = (type: string, holds: boolean, reason?: string): JSONCondition => {
    const status = holds ? 'True' : 'False'
    const last = before?.conditions.find((one) => one.type === type)
    const lastTransitionTime = last?.status === status ? last.lastTransitionTime : now
    return { type, status, lastTransitionTime, reason: holds ? null : (reason ?? null) }
  }
  return {
    phase,
    conditions: [
      condition('PodReadyToStartContainers', addresses.pod !== undefined),
      condition('Initialized', true),
      condition('ContainersReady', allReady, 'ContainersNotReady'),
      condition('Ready', allReady, 'ContainersNotReady'),
    ],
    containerStatuses: containers.map((container) => ({
      ...container,
      imageID: '',
      started: 'running' in container.state,
    })),
    startTime: before?.startTime ?? now,
    hostIP: addresses.host,
    hostIPs: [{ ip: addresses.host }],
    ...(addresses.pod !== undefined && { podIP: addresses.pod, podIPs: [{ ip: addresses.pod }] }),
  }
}

function phaseOf(pod: V1Pod, containers: ContainerSketch[]): PodStatusSketch['phase'] {
  const codes = containers.map(({ state }) => state.terminated?.exitCode)
  if (pod.spec?.restartPolicy !== 'Always' && codes.every((code) => code !== undefined)) {
    if (codes.every((code) => code === 0)) return 'Succeeded'
    if (pod.spec?.restartPolicy === 'Never') return 'Failed'
  }
  const hasStarted = containers.some(({ state, restartCount }) => !('waiting' in state) || restartCount > 0)
  return hasStarted ? 'Running' : 'Pending'
}
