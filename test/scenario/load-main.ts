// Sends one load, given as JSON in the first argument, and prints its result as JSON. It runs inside a zone's network.
import { Agent, type ClientRequest, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Load, LoadResult } from './load.ts'

const load = JSON.parse(process.argv[2] ?? '') as Load
const agent = new Agent({ keepAlive: true, maxSockets: load.connections })
const result: LoadResult = {
  requests: 0,
  failed: 0,
  byPod: {},
  failures: {},
  bodyBytes: 0,
  p50Ms: 0,
  p99Ms: 0,
}
const times: number[] = []

function once(): Promise<void> {
  const startedAt = performance.now()
  result.requests++
  return new Promise((resolve) => {
    let settled = false
    let current: ClientRequest | undefined
    const settle = (failure?: string) => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      times.push(performance.now() - startedAt)
      if (failure !== undefined) {
        result.failed++
        count(result.failures, failure)
      }
      resolve()
    }
    const send = (connections: Agent | false) => {
      const outgoing = request(
        `http://${load.target}${load.path}`,
        { agent: connections, headers: { host: load.host } },
        (answer) => {
          let bytes = 0
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          answer.on('end', () => {
            const pod = answer.headers['x-pod']
            if (answer.statusCode !== 200 || typeof pod !== 'string')
              return settle(`status ${answer.statusCode}`)
            result.bodyBytes += bytes
            count(result.byPod, pod)
            settle()
          })
          answer.on('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message))
          answer.on('aborted', () => settle('cut off'))
        },
      )
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // a server may close an idle connection just as it is used again: every client sends anew then, at last on a
        // connection that is new
        if (outgoing.reusedSocket && error.code === 'ECONNRESET' && !settled) send(false)
        else settle(error.code ?? error.message)
      })
      outgoing.end()
      current = outgoing
    }
    const timer = setTimeout(() => {
      settle('timeout')
      current?.destroy()
    }, load.timeout)
    send(agent)
  })
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

async function closedLoop(requests: number): Promise<void> {
  let left = requests
  const connection = async () => {
    while (left-- > 0) await once()
  }
  await Promise.all(Array.from({ length: load.connections }, connection))
}

async function openLoop(rate: number, requests: number): Promise<void> {
  let isOver = false
  if (requests === Number.POSITIVE_INFINITY) {
    process.stdin.resume().on('end', () => {
      isOver = true
    })
  }
  const startedAt = performance.now()
  const pending: Promise<void>[] = []
  for (let i = 0; i < requests && !isOver; i++) {
    await wait(Math.max(startedAt + (i * 1_000) / rate - performance.now(), 0))
    pending.push(once())
  }
  await Promise.all(pending)
}

const { requests = Number.POSITIVE_INFINITY, rate } = load
await (rate === undefined ? closedLoop(requests) : openLoop(rate, requests))
agent.destroy()
times.sort((a, b) => a - b)
const at = (share: number) => Math.round((times[Math.floor((times.length - 1) * share)] ?? 0) * 10) / 10
result.p50Ms = at(0.5)
result.p99Ms = at(0.99)
process.stdout.write(`${JSON.stringify(result)}\n`)
