// One program of the control plane, which can be killed, paused and started again. Its log is a file.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

export interface ComponentOptions {
  name: string
  argv: string[]
  log: string
  /** Hears of an end that nobody asked for, with the last lines of the log. */
  onUnexpectedEnd: (error: Error) => void
}

export interface Component {
  readonly name: string
  /** `more` arguments are for this run alone. */
  start(more?: readonly string[]): void
  /** Resolves when the process has ended. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** It keeps its connections and answers nothing, as on a machine that hangs. */
  pause(): void
  resume(): void
  log(): Promise<string>
}

export function createComponent({ name, argv, log, onUnexpectedEnd }: ComponentOptions): Component {
  let child: ChildProcess | undefined

  return {
    name,
    start(more = []) {
      if (child) throw new Error(`${name} runs already`)
      const output = openSync(log, 'a')
      const [program, ...args] = argv
      const started = spawn(program as string, [...args, ...more], { stdio: ['ignore', output, output] })
      closeSync(output)
      child = started
      started.once('error', onUnexpectedEnd)
      started.once('exit', async (code, signal) => {
        if (child !== started) return
        child = undefined
        const tail = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-20).join('\n')
        onUnexpectedEnd(
          new Error(`${name} ended (${signal ?? `status ${code}`}), the last lines of its log:\n${tail}`),
        )
      })
    },
    async stop(signal = 'SIGKILL') {
      const stopping = child
      if (!stopping) return
      child = undefined
      const ended = once(stopping, 'exit')
      stopping.kill(signal)
      // a paused process hears nothing else
      if (signal !== 'SIGKILL') stopping.kill('SIGCONT')
      await ended
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    log: () => readFile(log, 'utf8'),
  }
}
