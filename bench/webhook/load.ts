// One run of the load generator, on processor 1, and what it measured.
import { runCommand } from '../../test/cluster/command.ts'
import type { PeerPrograms } from './peer.ts'
import type { Running } from './subjects.ts'

export interface LoadShape {
  name: string
  flags: readonly string[]
}

export interface Measured {
  reviewsPerSecond: number
  p50Ms: number
  p99Ms: number
  p999Ms: number
  cpuMicrosecondsPerReview: number
}

export const loads: readonly LoadShape[] = [
  ...[1, 8, 64].map((connections) => ({ name: `${connections} connections`, flags: [`-c=${connections}`] })),
  ...[500, 2_000].map((rate) => ({ name: `${rate} a second`, flags: ['-c=64', `-rate=${rate}`] })),
]

/** Throws where an answer was wrong or missing. */
export async function sendLoad(
  { loadgen }: PeerPrograms,
  { url, pid }: Running,
  { flags }: LoadShape,
  seconds: number,
): Promise<Measured> {
  const output = await runCommand([
    ...['taskset', '-c', '1', loadgen, `-url=${url}`, `-pid=${pid}`, '-pods=1000'],
    ...[`-d=${seconds}s`, '-warm=1s', ...flags],
  ])
  const figure = (name: string) => {
    const found = new RegExp(`\\b${name}=([\\d.]+)`).exec(output)?.[1]
    if (found === undefined) throw new Error(`the load generator told no ${name}: ${output}`)
    return Number(found)
  }
  return {
    reviewsPerSecond: figure('rps'),
    p50Ms: figure('p50'),
    p99Ms: figure('p99'),
    p999Ms: figure('p999'),
    cpuMicrosecondsPerReview: figure('cpu_us/req'),
  }
}
