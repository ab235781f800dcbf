// Pure: how a DNS fails that still answers some of the time, what becomes of each question then, and the settings that are
// compared there: how often HAProxy asks again, and after how long it gives a question up.
import type { Variant } from './settings.ts'

export interface Condition {
  title: string
  /** the share of questions that get no answer, whichever of the two is lost */
  loss: number
  /** of each answer */
  delayMs: number
  /** every name is said not to exist */
  isDenying: boolean
}

const condition = (title: string, { loss = 0, delayMs = 0, isDenying = false } = {}): Condition => ({
  title,
  loss,
  delayMs,
  isDenying,
})

export const whole = condition('no loss')
export const silent = condition('silent', { loss: 1 })
export const denying = condition('denying', { isDenying: true })
export const conditions: readonly Condition[] = [
  whole,
  condition('10 % lost', { loss: 0.1 }),
  condition('30 % lost', { loss: 0.3 }),
  condition('60 % lost', { loss: 0.6 }),
  condition('300 ms late', { delayMs: 300 }),
  condition('2 s late', { delayMs: 2_000 }),
  condition('2.5 s late', { delayMs: 2_500 }),
]

/** What comes of one question: undefined where nobody hears of it any more. */
export function delayOf({ loss, delayMs }: Condition, random: () => number): number | undefined {
  return random() < loss ? undefined : delayMs
}

/** HAProxy's own default of resolve_retries. */
const defaultTries = 3

/** The installed section first. A late answer is taken for the product of both values after its question, not later. */
export const retries: readonly Variant[] = [
  [undefined, defaultTries],
  ['750ms', defaultTries],
  ['500ms', defaultTries],
  ['250ms', defaultTries],
  ['500ms', 6],
  ['250ms', 12],
  ['1500ms', 2],
  ['3s', 1],
  ['1s', 1],
].map(([retry, tries]) => ({
  changes: {
    ...(retry === undefined ? {} : { 'timeout retry': String(retry) }),
    ...(tries === defaultTries ? {} : { resolve_retries: String(tries) }),
  },
}))
