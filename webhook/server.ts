// The HTTPS app that the API server posts reviews to. It does not listen, and has no certificate yet: main.ts gives it
// both. What a review means is left to `admit`.
import fastify, { type FastifyError, type FastifyReply } from 'fastify'
import type { Verdict } from './admit.ts'
import { type ConnectionTiming, handleClientError, httpsOptions, usualTiming } from './connections.ts'
import type { Report } from './report.ts'
import { type AdmissionRequest, answerReview, parseReview } from './review.ts'

export interface ServerOptions {
  admit: (request: AdmissionRequest) => Promise<Verdict>
  report: Report
  /** In bytes; anything larger is answered with 413. */
  bodyLimit: number
  /** While true, connections are closed with their next answer, so that a stop finds none in use. */
  isDraining: () => boolean
  /** Whether clients have to show a certificate of the authority that is given with the serving certificate. */
  verifyClients?: boolean
  /** In milliseconds; tests have less patience. */
  timing?: Partial<ConnectionTiming>
}

export function buildServer(options: ServerOptions) {
  const { admit, report, bodyLimit, isDraining, verifyClients = false } = options
  const timing = { ...usualTiming, ...options.timing }
  const app = fastify({
    https: httpsOptions({ timing, verifyClients }),
    clientErrorHandler: handleClientError(timing.idleMs),
    bodyLimit,
    keepAliveTimeout: timing.idleMs,
    requestTimeout: timing.requestMs,
    return503OnClosing: false,
  })

  // Any content type, as text: what is no JSON should be told so by our own sentence. The usual one by its name, which
  // is found faster.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )

  app.post('/mutate', async (request, reply) => {
    const admission = parseReview((request.body as string | undefined) ?? '')
    const verdict = await admit(admission)
    report(verdict, admission)
    // An error, which the API server counts, and lets the object pass; without Retry-After it doesn't try again.
    if (verdict.reason === 'shed')
      return say(reply, 429, 'Too many reviews wait for the API server: this one goes without a stamp.')
    return answerReview(admission.uid, verdict.patch)
  })

  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining()) reply.header('connection', 'close')
    done()
  })

  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500
    report({ reason: status < 500 ? 'bad-request' : 'internal-error', error })
    // fastify would close on a body that is still being sent, and the sender could lose the answer: without that, the
    // rest is read and thrown away, within the request's time-out
    if (status === 413) reply.removeHeader('connection')
    const message =
      status === 413
        ? `The body is larger than ${bodyLimit} bytes, more than any review needs.`
        : error.message
    say(reply, status, message)
  })

  app.setNotFoundHandler((_request, reply) => {
    say(reply, 404, 'Reviews are posted to /mutate.')
  })

  return app
}

function say(reply: FastifyReply, status: number, sentence: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(`${sentence}\n`)
}
