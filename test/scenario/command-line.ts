// The command line program in the process of a test, as it is run by people: what it prints and how it ends.
import { run } from '../../cli/run.ts'
import type { Cluster } from '../cluster/cluster.ts'

export interface Outcome {
  exitCode: number
  /** standard output */
  out: string
  /** lines of standard error */
  said: string[]
}

export async function zonefirst(
  { kubeconfig }: Pick<Cluster, 'kubeconfig'>,
  ...args: string[]
): Promise<Outcome> {
  return runWith({ KUBECONFIG: kubeconfig, HOME: '/nonexistent' }, ...args)
}

export async function runWith(env: Record<string, string>, ...args: string[]): Promise<Outcome> {
  const outcome: Outcome = { exitCode: 0, out: '', said: [] }
  const terminal = {
    out: (text: string) => {
      outcome.out += text
    },
    say: (line: string) => void outcome.said.push(line),
  }
  outcome.exitCode = await run(args, env, terminal, new AbortController().signal)
  return outcome
}
