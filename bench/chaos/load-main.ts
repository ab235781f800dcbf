// Steady requests from inside one zone, to the ingress controllers of all sides, until standard input ends. It reads
// where to send, and prints what came of each request, as lines of JSON (steady-load.ts reads them).
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, LoadOptions, Order, Sample, Target } from './samples.ts'

const { rate, path, timeout } = JSON.parse(process.argv[2] ?? '') as LoadOptions
const agent = new Agent({ keepAlive: true, maxSockets: 100 })
const pending = new Set<Promise<void>>()
let targets: readonly Target[] = []
let samples: Sample[] = []
let isOver = false

function once({ side, zone, address, host }: Target): Promise<void> {
  const startedAt = Date.now()
  const begun = performance.now()
  return new Promise((resolve) => {
    let settled = false
    let current: ClientRequest | undefined
    const settle = (failure: string | undefined, pod?: string) => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      samples.push({ side, zone, startedAt, ms: performance.now() - begun, failure, pod })
      resolve()
    }
    const read = (answer: IncomingMessage) => {
      const pod = answer.headers['x-pod']
      const isRight = answer.statusCode === 200 && typeof pod === 'string'
      answer.resume()
      answer.on('end', () => (isRight ? settle(undefined, pod) : settle(`status ${answer.statusCode}`)))
      answer.on('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message))
    }
    const send = (isRepeated: boolean) => {
      const outgoing = request(`http://${address}${path}`, { agent, headers: { host } }, read)
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // a server may close an idle connection just as it is used again: every client sends anew then
        if (outgoing.reusedSocket && error.code === 'ECONNRESET' && !isRepeated && !settled) send(true)
        else settle(error.code ?? error.message)
      })
      outgoing.end()
      current = outgoing
    }
    const timer = setTimeout(() => {
      settle('timeout')
      current?.destroy()
    }, timeout)
    send(false)
  })
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
    const done: Promise<void> = once(target).finally(() => pending.delete(done))
    pending.add(done)
  }
}
clearInterval(printing)
agent.destroy()
