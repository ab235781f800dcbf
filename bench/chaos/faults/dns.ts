// DNS fails, in each way in which it can.
import { setTimeout as pause } from 'node:timers/promises'
import { type Behaviour, type Front, startFront } from '../dns-front.ts'
import { refused, shuffled, truncated } from '../dns-messages.ts'
import type { Fault } from '../fault.ts'
import type { System } from '../system.ts'

const about = 'DNS'
/** Longer than HAProxy holds on to the last good answer. */
const seconds = 35
let front: Front | undefined

function faultOf(name: string, title: string, behaviour: (system: System) => Behaviour): Fault {
  return {
    name: `dns-${name}`,
    title,
    about,
    seconds,
    async inject(system) {
      front = await startFront(system.cluster, behaviour(system))
    },
    async heal() {
      await front?.close()
      front = undefined
    },
  }
}

export const dnsFaults: Fault[] = [
  {
    name: 'dns-down',
    title: 'CoreDNS down for 60 s',
    about,
    seconds: 60,
    inject: ({ cluster }) => cluster.controlPlane.components.coredns.stop(),
    async heal({ cluster }) {
      cluster.controlPlane.components.coredns.start()
      await cluster.controlPlane.ready()
    },
  },
  faultOf(`slow`, `DNS answers after 0.8 s for ${seconds} s`, () => async (query, ask) => {
    await pause(800)
    return ask(query)
  }),
  faultOf(
    'nxdomain',
    `DNS knows no name (NXDOMAIN) for ${seconds} s`,
    () => async (query) => refused(query, 'NXDOMAIN'),
  ),
  faultOf(
    'servfail',
    `DNS fails (SERVFAIL) for ${seconds} s`,
    () => async (query) => refused(query, 'SERVFAIL'),
  ),
  faultOf(
    'truncated',
    `DNS answers are cut off to nothing for ${seconds} s`,
    () => async (query) => truncated(query),
  ),
  faultOf(
    'shuffled',
    `DNS answers come in another order each time for ${seconds} s`,
    ({ random }) =>
      async (query, ask) =>
        shuffled(await ask(query), random),
  ),
]
