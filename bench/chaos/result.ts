// The result of a run of faults, as a file that grows with each of them: what a run that was ended had is kept, and runs
// of some faults complete an earlier one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Row {
  name: string
  /** to the side with zonefirst, from the fault's begin until everything was right; as many were sent to the other side */
  requests: number
  failed: number
  failedWithoutZonefirst: number
  p99Ms: number
  /** share of the answers that came from another zone than the ingress controller's */
  crossZoneDuring: number
  crossZoneAfter: number
  /** from the end of the fault; null: it was not in the time given */
  secondsToRight: number | null
  /** that zonefirst's programs sent meanwhile, Leases aside */
  writes: number
}

export interface Result {
  seed: number
  faults: readonly Row[]
}

export function readResult(file: string): Result | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Result
  } catch {
    return undefined
  }
}

export function writeResult(file: string, result: Result): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
}

/** Rows of the same fault are replaced; `order` has all names. */
export function withRow({ seed, faults }: Result, row: Row, order: readonly string[]): Result {
  const others = faults.filter(({ name }) => name !== row.name && order.includes(name))
  const place = ({ name }: Row) => order.indexOf(name)
  return { seed, faults: [...others, row].sort((a, b) => place(a) - place(b)) }
}
