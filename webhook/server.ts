// The HTTPS app that the API server posts reviews to. It does not listen, and has no certificate yet: main.ts gives it
// both. What a review means is left to `admit`.
import fastify, { type FastifyError } from 'fastify'
import type { Verdict } from './admit.ts'
import type { Report } from './report.ts'
import { type AdmissionRequest, answerReview, parseReview } from './review.ts'

export interface ServerOptions {
  admit: (request: AdmissionRequest) => Promise<Verdict>
  report: Report
  /** In bytes; anything larger is answered with 413. */
  bodyLimit: number
  /** While true, connections are closed with their next answer, so that a stop finds none in use. */
  isDraining: () => boolean
}

export function buildServer({ admit, report, bodyLimit, isDraining }: ServerOptions) {
  const app = fastify({
    https: { minVersion: 'TLSv1.2' },
    bodyLimit,
    // longer than the 90 s for which the API server keeps an idle connection: else a review can meet its closing
    keepAliveTimeout: 120_000,
    // for clients that send slowly; the API server itself gives up after 2 s
    requestTimeout: 10_000,
    return503OnClosing: false,
  })

  // Any content type, as text: what is no JSON should be told so by our own sentence.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))

  app.post('/mutate', async (request) => {
    const admission = parseReview((request.body as string | undefined) ?? '')
    const verdict = await admit(admission)
    report(verdict, admission)
    return answerReview(admission.uid, verdict.patch)
  })

  app.addHook('onSend', async (_request, reply) => {
    if (isDraining()) reply.header('connection', 'close')
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
    reply.code(status).type('text/plain; charset=utf-8').send(`${message}\n`)
  })

  app.setNotFoundHandler((_request, reply) => {
    reply.code(404).type('text/plain; charset=utf-8').send('Reviews are posted to /mutate.\n')
  })

  return app
}
