import t from 'tap'
import { isHashBalancing, refusalOfLines } from '../../../annotator/plan/user-lines.ts'

t.test('lines that do not go with ours', async (t) => {
  const rows = [
    { line: 'stick-table type string size 1m expire 30m', want: 'StickTable' },
    { line: '  stick on req.cook(JSESSIONID)', want: 'StickTable' },
    { line: 'cookie SRV insert indirect nocache', want: 'StaticCookie' },
    { line: 'cookie SRV insert indirect nocache dynamic', want: undefined },
    { line: 'balance uri whole', want: 'HashBalancing' },
    { line: 'hash-type consistent', want: 'HashBalancing' },
    { line: 'balance leastconn', want: undefined },
    { line: 'server extra 10.0.0.1:80 backup', want: 'SnippetUndoes' },
    { line: 'server-template x 2 web-in-a:80', want: 'SnippetUndoes' },
    { line: 'default-server no-backup', want: 'SnippetUndoes' },
    { line: 'no option allbackups', want: 'SnippetUndoes' },
    { line: 'no   option redispatch', want: 'SnippetUndoes' },
    { line: 'retries 0', want: 'SnippetUndoes' },
    { line: 'retries 3', want: undefined },
    { line: '# server extra 10.0.0.1:80', want: undefined },
    { line: 'http-response set-header X-Server yes', want: undefined },
    { line: 'http-request set-header stick table', want: undefined },
  ]
  for (const { line, want } of rows) {
    t.equal(
      refusalOfLines(`http-response set-header X-Mine yes\n${line}\n`, 'on the Service')?.reason,
      want,
      line,
    )
  }
  t.match(
    refusalOfLines('server extra 10.0.0.1:80', 'on an Ingress')?.message,
    /\(`server extra 10\.0\.0\.1:80`, on an Ingress\)$/,
    'the line is named, and where it stands',
  )
})

t.test('algorithms that hash', async (t) => {
  for (const name of ['source', 'uri', 'url_param id', 'hdr(host)', 'rdp-cookie', 'hash path']) {
    t.equal(isHashBalancing(name), true, name)
  }
  for (const name of ['roundrobin', 'leastconn', 'random(2)', 'first', 'static-rr']) {
    t.equal(isHashBalancing(name), false, name)
  }
})
