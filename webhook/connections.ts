// What a connection may cost before it has brought a whole request: limits on handshake, headers and waiting, and the
// answer to what breaks them. What a request means is server.ts's.
import type { ServerOptions } from 'node:https'
import type { Socket } from 'node:net'

export const usualTiming = {
  handshakeMs: 5_000,
  /** From a request's first byte to its last; the API server itself gives up after 2 s. */
  requestMs: 10_000,
  /** Longer than the 90 s for which the API server keeps an idle connection: else a review can meet its closing. */
  idleMs: 120_000,
  /** How often connections are looked at. */
  checkMs: 1_000,
}
export type ConnectionTiming = typeof usualTiming

export interface ConnectionOptions {
  timing: ConnectionTiming
  /** Whether clients have to show a certificate; of which authority goes with the serving certificate. */
  verifyClients: boolean
}

export function httpsOptions({ timing, verifyClients }: ConnectionOptions): ServerOptions {
  return {
    minVersion: 'TLSv1.2',
    handshakeTimeout: timing.handshakeMs,
    headersTimeout: timing.requestMs,
    connectionsCheckingInterval: timing.checkMs,
    maxHeaderSize: 16_384,
    requestCert: verifyClients,
    rejectUnauthorized: verifyClients,
  }
}

const answers: Record<string, [status: string, text: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are larger than 16 KiB, more than any review needs.',
  ],
}

/** Takes an error of a connection, or a time-out, that no request can be answered with. */
export function handleClientError(idleMs: number) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    // Nothing was asked on it yet. The API server opens connections in bursts and keeps those that it didn't need: to
    // close one early would lose the review that is sent on it just then.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
      socket.setTimeout(idleMs)
      return
    }
    if (socket.writableEnded) return
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const [status, text] = answers[error.code ?? ''] ?? ['400 Bad Request', 'This is no HTTP request.']
    const headers = `connection: close\r\ncontent-type: text/plain\r\ncontent-length: ${text.length + 1}`
    socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${text}\n`)
    // not at once: with input unread, that would take the answer away from whoever still sends
    setTimeout(() => socket.destroy(), 1_000).unref()
  }
}
