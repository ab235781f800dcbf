import t from 'tap'
import { commands, helpText, readCommandLine } from '../../cli/command-line.ts'
import { Problem } from '../../cli/problem.ts'

t.test('what is asked for', async (t) => {
  t.equal(readCommandLine([]).command, 'help')
  t.equal(readCommandLine(['--help']).command, 'help')
  t.equal(readCommandLine(['--version']).command, 'version')
  t.match(readCommandLine(['doctor', '-h']), { command: 'help', about: 'doctor' })
  t.match(readCommandLine(['help', 'doctor']), { command: 'help', about: 'doctor' })
  t.equal(readCommandLine(['help', 'frobnicate']).about, undefined)
  const report = readCommandLine(['report', '-o', 'json', '--price=0.03', '--since', 'a.json'])
  t.equal(report.command, 'report')
  t.strictSame(
    ['output', 'price', 'since', 'svg', 'stats-port'].map((name) => report.text(name)),
    ['json', '0.03', 'a.json', undefined, '1024'],
  )
  t.equal(readCommandLine(['cleanup', '-y']).isSet('yes'), true)
  t.equal(readCommandLine(['cleanup']).isSet('yes'), false)
})

t.test('a wrong command line gets one sentence', async (t) => {
  const rows: [string[], RegExp][] = [
    [['frobnicate'], /^There is no command frobnicate: it is one of status, doctor, report, cleanup\.$/],
    [['status', 'extra'], /see zonefirst status --help\.$/],
    [['status', '--price=1'], /^Unknown option '--price': see zonefirst status --help\.$/],
    [['report', '--price', 'much'], /^--price is "much", but must be an amount such as 0\.02\.$/],
    [['report', '--price'], /see zonefirst report --help\.$/],
    [['report', '--stats-port=70000'], /must be a port\.$/],
    [['doctor', '--stats=none'], /must be one of proxy, direct\.$/],
    [['cleanup', '--wait=-1'], /must be a number of seconds\.$/],
    [['status', '-n', ''], /^--namespace is empty: give it a value, or leave it out\.$/],
    [['cleanup', '--yes=maybe'], /see zonefirst cleanup --help\.$/],
  ]
  for (const [argv, sentence] of rows) {
    try {
      readCommandLine(argv)
      t.fail(argv.join(' '))
    } catch (error) {
      t.ok(error instanceof Problem, argv.join(' '))
      t.match(error, { exitCode: 2, message: sentence }, argv.join(' '))
      t.notMatch((error as Error).message, /\n/)
    }
  }
})

t.test('help names every command and every option', async (t) => {
  for (const [name, { options }] of Object.entries(commands)) {
    t.match(helpText(), new RegExp(`^  ${name} `, 'm'))
    for (const option of Object.keys(options)) {
      t.match(helpText(name as keyof typeof commands), new RegExp(`--${option}\\b`))
    }
  }
})
