// The command line program: arguments, environment, streams and signals.
import { plain } from './plain.ts'
import { run } from './run.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort(new Error('interrupted')))

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
