// What people and machines do to the system, for faults to be made of.
import { readdirSync, readFileSync } from 'node:fs'
import { systemNamespace } from '../../test/scenario/zonefirst.ts'
import { replicas, type Side, sides } from './sides.ts'
import { applicationPods, type System } from './system.ts'

export type ProgramName = 'webhook' | 'annotator' | 'certs'

const deployment = 'deployment/web-blue'

export async function onBothSides(act: (side: Side) => Promise<unknown>): Promise<void> {
  await Promise.all(sides.map(act))
}

/** Of both sides; resolves when all pods are ready, and those that were too many are gone. */
export async function scale(system: System, count: number): Promise<void> {
  const { cluster, pods } = system
  await onBothSides(async (side) => {
    await cluster.kubectl('-n', side.namespace, 'scale', deployment, `--replicas=${count}`)
    const isDone = () => {
      const all = applicationPods(pods, side)
      return all.length === count && all.every(({ isReady, isLeaving }) => isReady && !isLeaving)
    }
    await cluster.until(`${side.name} has ${count} ready pods`, isDone, { timeoutMs: 60_000 })
  })
}

/** To more pods, so that some are bound and started while a fault lasts. */
export const grow = (system: System) => scale(system, replicas + 3)
export const shrink = (system: System) => scale(system, replicas)

export async function restart({ cluster }: System): Promise<void> {
  await onBothSides(async ({ namespace }) => {
    await cluster.kubectl('-n', namespace, 'rollout', 'restart', deployment)
    await cluster.kubectl('-n', namespace, 'rollout', 'status', deployment, '--timeout=120s')
  })
}

/** Resolves when so many run and are ready, or none is left. */
export async function scaleProgram(
  { cluster, pods }: System,
  name: ProgramName,
  count: number,
): Promise<void> {
  await cluster.kubectl('-n', systemNamespace, 'scale', `deployment/zonefirst-${name}`, `--replicas=${count}`)
  await cluster.until(
    `${count} of zonefirst-${name} are ready`,
    () => {
      const all = programPods({ pods }, name)
      return all.length === count && all.every(({ isReady }) => isReady)
    },
    { timeoutMs: 60_000 },
  )
}

export const programPods = ({ pods }: Pick<System, 'pods'>, name: ProgramName) =>
  pods.of(systemNamespace, 'app.kubernetes.io/name', `zonefirst-${name}`)

/** Processes of one of zonefirst's programs; this process namespace has no others of the name. */
export function processesOf(name: ProgramName): number[] {
  return processesWith((words) => words.includes(`${name}/main.js`) && !words.includes('sh'))
}

export function processesWith(isWanted: (words: readonly string[]) => boolean): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return isWanted(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))
      } catch {
        // it has ended meanwhile
        return false
      }
    })
    .map(Number)
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // it has ended meanwhile
    }
  }
}

export function pick<T>({ random }: System, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

export async function growFromThree(system: System): Promise<void> {
  await scale(system, 3)
  await scale(system, 12)
}

export async function allDown(system: System): Promise<void> {
  await Promise.all([scaleProgram(system, 'webhook', 0), scaleProgram(system, 'annotator', 0)])
}

export async function allUp(system: System): Promise<void> {
  await Promise.all([scaleProgram(system, 'webhook', 2), scaleProgram(system, 'annotator', 2)])
}

/** A pod's name is its host's name. */
export function processOfPod(pod: string): number[] {
  return processesWith(() => true).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOSTNAME=${pod}`)
    } catch {
      return false
    }
  })
}
