// One run of the command: reads the command line, connects, lets the command work, and says how it ended.
import { readFileSync } from 'node:fs'
import { connect, type Kube } from '../lib/kube.ts'
import { runCleanup } from './cleanup-command.ts'
import { findCluster } from './cluster-access.ts'
import { type CommandName, helpText, readCommandLine } from './command-line.ts'
import type { CommandContext, Terminal } from './context.ts'
import { runDoctor } from './doctor-command.ts'
import { installationOf } from './installation.ts'
import { checkVersion, shortcomings } from './prerequisites.ts'
import { type ExitCode, exitCodes, Problem, problemOf } from './problem.ts'
import { runReport } from './report-command.ts'
import { readSnapshot } from './snapshot.ts'
import { runStatus } from './status-command.ts'

const runs: Record<CommandName, (context: CommandContext) => Promise<ExitCode>> = {
  status: runStatus,
  doctor: runDoctor,
  report: runReport,
  cleanup: runCleanup,
}

export async function run(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  let server = 'an unknown address'
  let kube: Kube | undefined
  try {
    const commandLine = readCommandLine(argv)
    const { command } = commandLine
    if (command === 'help') {
      terminal.out(helpText(commandLine.about))
      return exitCodes.fine
    }
    if (command === 'version') {
      terminal.out(`${version()}\n`)
      return exitCodes.fine
    }
    const { text } = commandLine
    const access = await findCluster({ kubeconfig: text('kubeconfig'), context: text('context') }, env)
    server = access.server
    const connected = connect(access)
    kube = connected
    const { gitVersion } = await connected.request<{ gitVersion: string }>({
      method: 'GET',
      path: '/version',
    })
    checkVersion(gitVersion)
    const look = async () => {
      const systemNamespace = text('system-namespace') ?? ''
      const options = { version: gitVersion, systemNamespace, now: Date.now, say: terminal.say }
      const taken = await readSnapshot(connected, options)
      const installation = installationOf(taken)
      for (const sentence of shortcomings(taken, installation)) terminal.say(sentence)
      return { snapshot: taken, installation }
    }
    const context = { kube: connected, commandLine, terminal, look, signal }
    return await Promise.race([runs[command](context), interrupted(signal)])
  } catch (error) {
    const problem = problemOf(error, server)
    terminal.say(problem.message)
    return problem.exitCode
  } finally {
    kube?.close()
  }
}

function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(new Problem('Interrupted.', exitCodes.interrupted))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

function version(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version ?? 'unknown version'
}
