import t from 'tap'
import { doctorText } from '../../cli/doctor-command.ts'
import { wrapped } from '../../cli/wrapped.ts'

t.test('sentences are broken between words', async (t) => {
  t.equal(wrapped('one two three', undefined), 'one two three')
  t.equal(wrapped('one two three', 7), 'one two\nthree')
  t.equal(wrapped('one two three', 8, '  '), 'one two\n  three')
  t.equal(wrapped('    one two', 8, '    '), '    one\n    two', 'the first line keeps its own start')
  t.equal(wrapped('a-word-that-is-long is one', 8), 'a-word-that-is-long\nis one', 'words stay whole')
  t.equal(wrapped('', 8), '')
})

t.test('findings keep their indentation', async (t) => {
  const finding = {
    check: 'pods-unstamped',
    severity: 'error',
    subject: 'Pods default/web-1, default/web-2',
    problem: 'they run without a stamp',
    fix: 'look at the log',
  } as const
  t.equal(
    doctorText([finding], [], 32).split('\n\n')[0],
    [
      'error   pods-unstamped: Pods',
      '        default/web-1,',
      '        default/web-2',
      '        they run without a stamp',
      '        → look at the log',
    ].join('\n'),
  )
  const note = { ...finding, severity: 'note', check: 'proxy-namespaces' } as const
  const [first = ''] = doctorText([note, finding], []).split('\n')
  t.match(first, /^error/, 'what is worst comes first')
  t.match(doctorText([finding], []), /^error {3}pods-unstamped: Pods default\/web-1, default\/web-2\n/)
})
