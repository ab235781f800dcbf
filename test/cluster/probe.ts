// Probes of a container, httpGet and tcpSocket, sent from outside its zone as a node's kubelet sends them.
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Container, V1Probe } from '@kubernetes/client-node'

// Whether a container that has just started is ready is asked more often than its period says: tests don't wait.
const firstPeriodMs = 100

export interface ProbeOptions {
  container: V1Container
  probe: V1Probe
  address: string
  signal: AbortSignal
  /** Doesn't wait for the period until the first success. */
  eager: boolean
  onChange: (succeeds: boolean) => void
}

/** Asks until `signal` ends it. `onChange` hears when as many answers as the thresholds ask for agree. */
export async function watchProbe(options: ProbeOptions): Promise<void> {
  const { container, probe, address, signal, eager, onChange } = options
  const periodMs = (probe.periodSeconds ?? 10) * 1000
  let state: boolean | undefined
  let hasSucceeded = false
  let run = { succeeds: false, length: 0 }
  await pause((probe.initialDelaySeconds ?? 0) * 1000, undefined, { signal }).catch(() => {})
  while (!signal.aborted) {
    const succeeds = await check(container, probe, address)
    if (signal.aborted) return
    run = { succeeds, length: run.succeeds === succeeds ? run.length + 1 : 1 }
    const needed = (succeeds ? probe.successThreshold : probe.failureThreshold) ?? (succeeds ? 1 : 3)
    if (succeeds !== state && run.length >= needed) {
      state = succeeds
      onChange(succeeds)
    }
    hasSucceeded ||= succeeds
    await pause(eager && !hasSucceeded ? firstPeriodMs : periodMs, undefined, { signal }).catch(() => {})
  }
}

function check(container: V1Container, probe: V1Probe, address: string): Promise<boolean> {
  const timeout = (probe.timeoutSeconds ?? 1) * 1000
  const { httpGet, tcpSocket } = probe
  if (tcpSocket) return connects(tcpSocket.host ?? address, portOf(container, tcpSocket.port), timeout)
  if (!httpGet) throw new Error('probe: only httpGet and tcpSocket are known to the stand-in for the kubelet')
  const secure = httpGet.scheme?.toUpperCase() === 'HTTPS'
  return new Promise((resolve) => {
    const options = {
      host: httpGet.host ?? address,
      port: portOf(container, httpGet.port),
      path: httpGet.path ?? '/',
      headers: Object.fromEntries((httpGet.httpHeaders ?? []).map(({ name, value }) => [name, value])),
      agent: false as const,
      signal: AbortSignal.timeout(timeout),
    }
    const answer = (message: http.IncomingMessage) => {
      const { statusCode = 0 } = message
      message.resume()
      resolve(statusCode >= 200 && statusCode < 400)
    }
    const request = secure
      ? https.get({ ...options, rejectUnauthorized: false }, answer)
      : http.get(options, answer)
    request.on('error', () => resolve(false))
  })
}

function connects(host: string, port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, timeout })
    const end = (succeeds: boolean) => {
      socket.destroy()
      resolve(succeeds)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}

function portOf(container: V1Container, port: number | string): number {
  if (typeof port === 'number') return port
  const named = container.ports?.find(({ name }) => name === port)?.containerPort
  if (named === undefined) throw new Error(`container ${container.name} has no port named ${port}`)
  return named
}
