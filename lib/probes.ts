// The port of its own on which a program says how it is: /livez, /readyz and /metrics. What is ready, and what is
// counted, is the caller's.
import fastify, { type FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

export interface ReadinessCheck {
  name: string
  isReady: () => boolean
}

/** Not listening yet. /readyz names each check, so that its body says what is missing. */
export function buildProbes(options: {
  registry: Registry
  checks: readonly ReadinessCheck[]
}): FastifyInstance {
  const app = fastify({ forceCloseConnections: true })

  app.get('/livez', () => 'ok\n')

  app.get('/readyz', (_request, reply) => {
    const states = options.checks.map(({ name, isReady }) => ({ name, ready: isReady() }))
    reply.code(states.every(({ ready }) => ready) ? 200 : 503)
    return states.map(({ name, ready }) => `${name}: ${ready ? 'ready' : 'not ready'}\n`).join('')
  })

  app.get('/metrics', (_request, reply) => {
    reply.type(options.registry.contentType)
    return options.registry.metrics()
  })

  return app
}
