import t from 'tap'
import { resolversIn } from '../../../cli/doctor/resolvers.ts'

t.test('a resolvers section by its name, up to the next section', async (t) => {
  const rows = [
    { text: 'resolvers zonefirst\n  accepted_payload_size 8192\n', want: { payload: 8192 } },
    { text: 'resolvers   zonefirst # ours\n  nameserver a 10.96.0.10:53\n', want: { payload: 512 } },
    { text: 'resolvers zonefirst\nbackend x\n  accepted_payload_size 8192\n', want: { payload: 512 } },
    { text: 'resolvers other\n  accepted_payload_size 8192\n', want: undefined },
    { text: '# resolvers zonefirst\n', want: undefined },
  ]
  for (const { text, want } of rows) t.strictSame(resolversIn(text, 'zonefirst'), want, text)
})
