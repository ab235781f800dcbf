// A program that enters the namespaces, for enter.test.ts: says what it sees there, and then does as it is told.
import './enter.ts'
import { spawn } from 'node:child_process'
import { readlinkSync } from 'node:fs'

const [task] = process.argv.slice(2)
const facts = {
  namespace: readlinkSync('/proc/self/ns/pid'),
  user: process.getuid?.(),
  arguments: process.argv.slice(2),
  options: process.execArgv,
  word: process.env.WORD,
  input: process.stdin.isTTY ?? false,
}
if (task === 'stay') {
  // outlives its parent, unless the namespaces' end ends it
  spawn('setsid', ['sleep', '600'], { stdio: 'ignore' }).unref()
  setInterval(() => {}, 1_000)
}
console.log(JSON.stringify(facts))
if (task === 'exit') process.exit(7)
if (task === 'throw') throw new Error('thrown inside')
