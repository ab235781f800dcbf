// Faults in which what has to answer stops and goes on by turns, while pods are added.
import { setTimeout as pause } from 'node:timers/promises'
import { grow, shrink } from '../acts.ts'
import type { Fault } from '../fault.ts'
import type { System } from '../system.ts'

export interface Turns {
  stop(system: System): void
  resume(system: System): void
  stoppedMs: number
  runningMs: number
}

export function slowness(about: Pick<Fault, 'name' | 'title' | 'about'>, turns: Turns): Fault {
  let current: { end: AbortController; done: Promise<void> } | undefined
  return {
    ...about,
    async inject(system) {
      const end = new AbortController()
      current = { end, done: takeTurns(system, turns, end.signal) }
      await grow(system)
    },
    async heal(system) {
      current?.end.abort()
      await current?.done
      await shrink(system)
    },
  }
}

async function takeTurns(system: System, turns: Turns, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    turns.stop(system)
    await pause(turns.stoppedMs)
    turns.resume(system)
    await pause(turns.runningMs)
  }
}
