// Waits for something that nothing announces.
import { setTimeout as pause } from 'node:timers/promises'

export interface UntilOptions {
  timeoutMs?: number | undefined
  intervalMs?: number | undefined
  /** Ends the waiting at once with its reason. */
  signal?: AbortSignal | undefined
}

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it. A throw counts as "not yet";
 * after the time is up the error names `description` and the last answer.
 */
export async function until<T>(
  description: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 30_000, intervalMs = 50, signal }: UntilOptions = {},
): Promise<T> {
  const end = performance.now() + timeoutMs
  for (;;) {
    let last: unknown
    try {
      const answer = await check()
      if (answer !== undefined && answer !== false) return answer
      last = answer
    } catch (error) {
      last = error
    }
    signal?.throwIfAborted()
    if (performance.now() > end) {
      const state = last instanceof Error ? last.message : String(last)
      throw new Error(`waited ${timeoutMs / 1000} s in vain until ${description}; last: ${state}`, {
        cause: last,
      })
    }
    await pause(intervalMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
}
