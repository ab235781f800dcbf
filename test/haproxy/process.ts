// A HAProxy as a process, and its runtime API. What is in its files is the caller's.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { until } from '../cluster/until.ts'

export interface HAProxyProcess {
  /** A command of the runtime API, or several, separated by semicolons. */
  run(command: string): Promise<string>
  /** Resolves when it has ended. */
  stop(): Promise<void>
}

export interface HAProxyCommand {
  program: string
  files: readonly string[]
  /** of the runtime API, as the files name it */
  socket: string
  env: Readonly<Record<string, string>>
}

/** Resolves when it answers; rejects with what it complains of where it ends before. */
export async function startHAProxyProcess(command: HAProxyCommand): Promise<HAProxyProcess> {
  const { program, files, socket, env } = command
  const argv = ['-db', ...files.flatMap((file) => ['-f', file])]
  const child = spawn(program, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const complaints = text(child.stderr)
  const ended = once(child, 'close')

  const run = (command: string) => {
    const connection = connect(socket)
    connection.end(`${command}\n`)
    return text(connection)
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    await Promise.race([
      until('HAProxy answers', () => run('show info')),
      ended.then(async () => {
        throw new Error(`HAProxy ended:\n${await complaints}`)
      }),
    ])
  } catch (error) {
    await stop()
    throw error
  }
  return { run, stop }
}
