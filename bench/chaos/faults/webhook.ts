// The webhook fails, in each way a server can, while pods are bound.
import {
  allDown,
  allUp,
  grow,
  growFromThree,
  processesOf,
  programPods,
  restart,
  shrink,
  signal,
} from '../acts.ts'
import type { Fault } from '../fault.ts'
import { slowness } from './slowness.ts'

const about = 'zonefirst'

export const webhookFaults: Fault[] = [
  {
    name: 'webhook-killed',
    title: 'the webhook killed, and pods are added at once',
    about,
    async inject(system) {
      signal(processesOf('webhook'), 'SIGKILL')
      await grow(system)
    },
    heal: shrink,
  },
  {
    name: 'webhook-hung',
    title: 'the webhook hangs: it takes connections and answers nothing, and pods are added',
    about,
    async inject(system) {
      signal(processesOf('webhook'), 'SIGSTOP')
      await grow(system)
    },
    async heal(system) {
      signal(processesOf('webhook'), 'SIGCONT')
      await shrink(system)
    },
  },
  slowness(
    { name: 'webhook-slow', title: 'the webhook answers after up to 1.5 s, and pods are added', about },
    {
      stop: () => signal(processesOf('webhook'), 'SIGSTOP'),
      resume: () => signal(processesOf('webhook'), 'SIGCONT'),
      stoppedMs: 1_500,
      runningMs: 100,
    },
  ),
  {
    name: 'webhook-unreachable',
    title: 'packets to the webhook are lost, and pods are added',
    about,
    async inject(system) {
      const { network } = system.cluster
      for (const { address } of programPods(system, 'webhook')) await network.removeAddress(address)
      await grow(system)
    },
    async heal(system) {
      const { network } = system.cluster
      for (const { address } of programPods(system, 'webhook')) await network.addAddress(address)
      await shrink(system)
    },
  },
  {
    name: 'all-down-restart',
    title: 'webhook and annotator both down through a rolling restart',
    about,
    async inject(system) {
      await allDown(system)
      await restart(system)
    },
    heal: allUp,
  },
  {
    name: 'all-down-growth',
    title: 'webhook and annotator both down while the application is scaled from 3 to 12 pods',
    about,
    async inject(system) {
      await allDown(system)
      await growFromThree(system)
    },
    async heal(system) {
      await allUp(system)
      await shrink(system)
    },
  },
]
