// One request as a client of the shop sends it, and what came of it. How many, when, and what is counted is the loads'
// affair: load-main.ts's, and that of the chaos runs.
import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'

export interface RequestOptions {
  agent: Agent
  /** host:port that is connected to */
  address: string
  /** Host header */
  host: string
  path: string
  /** ms after which it counts as failed */
  timeout: number
}

export interface RequestResult {
  ms: number
  /** what went wrong, by status or error code; undefined: a pod answered */
  failure: string | undefined
  /** the pod that answered, as it says itself */
  pod: string | undefined
  /** of a right answer */
  bodyBytes: number
}

export function sendRequest({ agent, address, host, path, timeout }: RequestOptions): Promise<RequestResult> {
  const begun = performance.now()
  return new Promise((resolve) => {
    let settled = false
    let current: ClientRequest | undefined
    const settle = (failure: string | undefined, pod?: string, bodyBytes = 0) => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      resolve({ ms: performance.now() - begun, failure, pod, bodyBytes })
    }
    const read = (answer: IncomingMessage) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('end', () => {
        const pod = answer.headers['x-pod']
        if (answer.statusCode === 200 && typeof pod === 'string') settle(undefined, pod, bytes)
        else settle(`status ${answer.statusCode}`)
      })
      answer.on('aborted', () => settle('cut off'))
      answer.on('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message))
    }
    const send = (connections: Agent | false) => {
      const options = { agent: connections, headers: { host } }
      const outgoing = request(`http://${address}${path}`, options, read)
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
    }, timeout)
    send(agent)
  })
}
