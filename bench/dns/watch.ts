// Looks at one HAProxy all the time: which addresses it has, for how long it lacks the one that it should have, and what
// becomes of requests meanwhile.
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { ResolvingHAProxy } from './haproxy.ts'

export interface Tally {
  requests: number
  failed: number
  /** answered by another zone's pod though one of the own zone was there */
  outside: number
  /** for how long the pod's address was missing */
  missingSeconds: number
}

export interface Watch {
  readonly addresses: ReadonlySet<string>
  /** From now on this address has to be there; undefined for none. */
  expect(address: string | undefined): void
  /** Since the start. */
  tally(): Tally
  stop(): Promise<void>
}

export interface WatchOptions {
  haproxy: ResolvingHAProxy
  backend: string
  /** what a pod of another zone answers with */
  remote: string
}

const intervalMs = 250

export function startWatch({ haproxy, backend, remote }: WatchOptions): Watch {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const tally: Tally = { requests: 0, failed: 0, outside: 0, missingSeconds: 0 }
  let addresses: ReadonlySet<string> = new Set()
  let expected: string | undefined
  let isOver = false

  const look = async () => {
    let lookedAt = performance.now()
    while (!isOver) {
      const before = expected
      addresses = await haproxy.addresses()
      const now = performance.now()
      const isMissing = before !== undefined && before === expected && !addresses.has(before)
      if (isMissing) tally.missingSeconds += (now - lookedAt) / 1_000
      lookedAt = now
      await pause(intervalMs)
    }
  }
  const ask = async () => {
    while (!isOver) {
      const before = expected
      const answeredBy = await answerTo(agent, haproxy.listen, backend)
      tally.requests++
      if (answeredBy === undefined) tally.failed++
      else if (before !== undefined && before === expected && answeredBy === remote) tally.outside++
      await pause(intervalMs)
    }
  }
  const loops = [look(), ask()]
  return {
    get addresses() {
      return addresses
    },
    expect(address) {
      expected = address
    },
    tally: () => ({ ...tally }),
    async stop() {
      isOver = true
      await Promise.all(loops)
      agent.destroy()
    },
  }
}

/** Undefined where the request failed. */
async function answerTo(agent: Agent, socketPath: string, backend: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const outgoing = request({ agent, socketPath, headers: { 'x-backend': backend } }, (answer) => {
    text(answer).then(
      (body) => resolve(answer.statusCode === 200 ? body : undefined),
      () => resolve(undefined),
    )
  })
  outgoing.on('error', () => resolve(undefined))
  outgoing.end()
  return promise
}
