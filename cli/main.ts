// The command line program: arguments, environment, streams and signals.
import { plain } from './plain.ts'
import { exitCodes } from './problem.ts'
import { run } from './run.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort(new Error('interrupted')))

// A reader that has seen enough, as head, is nobody's failure: a cleanup that is under way goes on.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  process.stderr.write(`The result can’t be written: ${error.message}.\n`)
  process.exit(exitCodes.usage)
})
process.stderr.on('error', () => {})

process.exitCode = await run(
  process.argv.slice(2),
  process.env,
  {
    out: (text) => process.stdout.write(plain(text)),
    say: (line) => process.stderr.write(`${plain(line)}\n`),
    columns: process.stdout.columns,
  },
  interrupted.signal,
)
