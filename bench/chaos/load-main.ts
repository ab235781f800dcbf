// Steady requests from inside one zone, to the ingress controllers of all sides, until standard input ends. It reads
// where to send, and prints what came of each request, as lines of JSON (steady-load.ts reads them).
import { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { sendRequest } from '../../test/scenario/request.ts'
import type { Answer, LoadOptions, Order, Sample, Target } from './samples.ts'

const { rate, path, timeout } = JSON.parse(process.argv[2] ?? '') as LoadOptions
const agent = new Agent({ keepAlive: true, maxSockets: 100 })
const pending = new Set<Promise<void>>()
let targets: readonly Target[] = []
let samples: Sample[] = []
let isOver = false

async function send({ side, zone, address, host }: Target): Promise<void> {
  const startedAt = Date.now()
  const { ms, failure, pod } = await sendRequest({ agent, address, host, path, timeout })
  samples.push({ side, zone, startedAt, ms, failure, pod })
}

function print(answer: Answer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

function printSamples(): void {
  if (samples.length > 0) print({ samples })
  samples = []
}

const lines = createInterface({ input: process.stdin })
lines.on('line', async (line) => {
  const order = JSON.parse(line) as Order
  if (order.targets) targets = order.targets
  if (order.settle !== undefined) {
    await Promise.all(pending)
    printSamples()
    print({ settled: order.settle })
  }
})
lines.on('close', () => {
  isOver = true
})

const printing = setInterval(printSamples, 250)
const startedAt = performance.now()
for (let tick = 0; !isOver; tick++) {
  await wait(Math.max(startedAt + (tick * 1_000) / rate - performance.now(), 0))
  for (const target of targets) {
    const done: Promise<void> = send(target).finally(() => pending.delete(done))
    pending.add(done)
  }
}
clearInterval(printing)
agent.destroy()
