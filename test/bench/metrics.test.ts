import t from 'tap'
import { parseMetrics } from '../../bench/annotator/metrics.ts'

t.test('values by name and labels; comments are none', async (t) => {
  const text = '# HELP a_total What.\n# TYPE a_total counter\na_total 3\nb{le="0.1",x="a b"} 1.5\n\n'
  t.strictSame(
    [...parseMetrics(text)],
    [
      ['a_total', 3],
      ['b{le="0.1",x="a b"}', 1.5],
    ],
  )
})
