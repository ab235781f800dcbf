// What every command is given.
import type { Kube } from '../lib/kube.ts'
import type { CommandLine } from './command-line.ts'
import type { Installation } from './installation.ts'
import type { Snapshot } from './snapshot.ts'

export interface Terminal {
  /** standard output: the result */
  out(text: string): void
  /** standard error: progress and problems, a line each */
  say(line: string): void
  /** its width; undefined where the result goes elsewhere */
  columns?: number | undefined
}

export interface CommandContext {
  kube: Kube
  commandLine: CommandLine
  terminal: Terminal
  /** Reads the cluster, and says at once what makes it unfit. */
  look(): Promise<{ snapshot: Snapshot; installation: Installation }>
  /** The user has interrupted it. */
  signal: AbortSignal
}
