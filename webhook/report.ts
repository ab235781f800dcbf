// Tells people how reviews ended: one counter by reason, one log line by the reason's level.
import type { BaseLogger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { Verdict } from './admit.ts'
import { type Reason, reasons } from './reasons.ts'
import type { AdmissionRequest } from './review.ts'

export type Report = (verdict: Verdict, request?: AdmissionRequest) => void

export function buildReport(registry: Registry, log: BaseLogger): Report {
  const reviews = new Counter({
    name: 'zonefirst_webhook_reviews_total',
    help: 'Reviews by how they ended.',
    labelNames: ['reason'],
    registers: [registry],
  })
  // so that a rate is right from the first one on
  for (const reason of Object.keys(reasons) as Reason[]) reviews.inc({ reason }, 0)

  return ({ reason, error }, request) => {
    reviews.inc({ reason })
    const { level, message } = reasons[reason]
    if (level === 'debug' && !isDebug(log)) return
    log[level](
      { reason, resource: request?.resource, namespace: request?.namespace, pod: request?.name, err: error },
      message,
    )
  }
}

function isDebug(log: BaseLogger): boolean {
  return log.level === 'debug' || log.level === 'trace'
}
