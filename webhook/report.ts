// Tells people how reviews ended: one counter by reason, one log line by the reason's level. Lines of failures that
// repeat are few, so that no flood of them fills a disk: the counter has them all.
import type { BaseLogger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { Verdict } from './admit.ts'
import { type Reason, reasons } from './reasons.ts'
import type { AdmissionRequest } from './review.ts'

export type Report = (verdict: Verdict, request?: AdmissionRequest) => void

/** Of each reason one line in this time. */
const lineEveryMs = 10_000

export function buildReport(
  registry: Registry,
  log: BaseLogger,
  now: () => number = () => performance.now(),
): Report {
  const reviews = new Counter({
    name: 'zonefirst_webhook_reviews_total',
    help: 'Reviews by how they ended.',
    labelNames: ['reason'],
    registers: [registry],
  })
  const isDebug = log.level === 'debug' || log.level === 'trace'
  // each from 0, so that a rate is right from the first one on
  const counters = Object.fromEntries(
    Object.keys(reasons).map((reason) => {
      reviews.inc({ reason }, 0)
      return [reason, reviews.labels({ reason })]
    }),
  )
  const told = new Map<Reason, { at: number; unsaid: number }>()

  return ({ reason, error }, request) => {
    counters[reason]?.inc()
    const { level, message } = reasons[reason]
    if (!isDebug) {
      if (level === 'debug') return
      const last = told.get(reason)
      if (last && now() - last.at < lineEveryMs) {
        last.unsaid += 1
        return
      }
    }
    const unsaid = told.get(reason)?.unsaid || undefined
    told.set(reason, { at: now(), unsaid: 0 })
    log[level](
      {
        reason,
        resource: request?.resource,
        namespace: request?.namespace,
        pod: request?.name,
        unsaid,
        err: error,
      },
      message,
    )
  }
}
