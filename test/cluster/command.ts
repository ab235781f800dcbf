// Runs a program to its end.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

export interface CommandOptions {
  /** Goes to standard input. */
  input?: string
  env?: NodeJS.ProcessEnv
  cwd?: string
}

/** Standard output. Throws with standard error when the program fails. */
export async function runCommand(argv: string[], options: CommandOptions = {}): Promise<string> {
  const [program, ...args] = argv
  if (program === undefined) throw new Error('no program given')
  const { input, ...spawnOptions } = options
  const child = spawn(program, args, { ...spawnOptions, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'no status'))
  })
  // a program that doesn't read its input is no fault
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [status, output, complaint] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  if (status !== 0)
    throw new Error(`${argv.join(' ')}: ${complaint.trim() || output.trim()} (status ${status})`)
  return output
}
