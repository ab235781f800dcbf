// Sends one load, given as JSON in the first argument, and prints its result as JSON. It runs inside a zone's network.
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Load, LoadResult } from './load.ts'
import { sendRequest } from './request.ts'

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

async function send(): Promise<void> {
  result.requests++
  const { target: address, host, path, timeout } = load
  const { ms, failure, pod, bodyBytes } = await sendRequest({ agent, address, host, path, timeout })
  times.push(ms)
  result.bodyBytes += bodyBytes
  if (pod !== undefined) count(result.byPod, pod)
  if (failure === undefined) return
  result.failed++
  count(result.failures, failure)
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

async function closedLoop(requests: number): Promise<void> {
  let left = requests
  const connection = async () => {
    while (left-- > 0) await send()
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
    pending.push(send())
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
