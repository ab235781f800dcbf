// The log of a program, on standard output.
import { type Logger, pino } from 'pino'

/** Bytes that wait for room to be written; what comes beyond them is dropped. */
const mostWaiting = 1 << 20

/** A disk that is full costs lines, and not the program. */
export function buildLog(level: string): Logger {
  const destination = pino.destination({ fd: 1, sync: true, maxLength: mostWaiting })
  destination.on('error', () => {})
  return pino({ level }, destination)
}
