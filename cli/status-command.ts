// zonefirst status: reads the cluster and shows how each Service is treated.
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './problem.ts'
import { serviceStates } from './service-states.ts'
import { statusJson, statusTable } from './status.ts'

export async function runStatus({ look, commandLine, terminal }: CommandContext): Promise<ExitCode> {
  const { snapshot, installation } = await look()
  const namespace = commandLine.text('namespace')
  const states = serviceStates(snapshot, installation).filter(
    (state) =>
      (state.isConcerned || commandLine.isSet('all')) &&
      (namespace === undefined || state.namespace === namespace),
  )
  terminal.out(
    commandLine.text('output') === 'json'
      ? `${JSON.stringify(statusJson(states), null, 2)}\n`
      : statusTable(states, { now: snapshot.takenAt, columns: terminal.columns, namespace }),
  )
  return exitCodes.fine
}
