import type { V1LabelSelector } from '@kubernetes/client-node'
import t from 'tap'
import { matches } from '../../../cli/doctor/label-selector.ts'

t.test('as the API server decides', async (t) => {
  const labels = { app: 'web', tier: 'front' }
  const by = (key: string, operator: string, values?: string[]): V1LabelSelector => ({
    matchExpressions: [{ key, operator, ...(values && { values }) }],
  })
  const rows: { name: string; selector: V1LabelSelector | undefined; want: boolean }[] = [
    { name: 'none', selector: undefined, want: true },
    { name: 'an empty one', selector: {}, want: true },
    { name: 'a label', selector: { matchLabels: { app: 'web' } }, want: true },
    { name: 'one label of two', selector: { matchLabels: { app: 'web', tier: 'back' } }, want: false },
    { name: 'In', selector: by('app', 'In', ['api', 'web']), want: true },
    { name: 'In, without the label', selector: by('zone', 'In', ['a']), want: false },
    { name: 'NotIn', selector: by('app', 'NotIn', ['web']), want: false },
    { name: 'NotIn, without the label', selector: by('zone', 'NotIn', ['a']), want: true },
    { name: 'Exists', selector: by('tier', 'Exists'), want: true },
    { name: 'DoesNotExist', selector: by('tier', 'DoesNotExist'), want: false },
    {
      name: 'labels and expressions',
      selector: { matchLabels: { app: 'web' }, ...by('tier', 'NotIn', ['front']) },
      want: false,
    },
  ]
  for (const { name, selector, want } of rows) t.equal(matches(selector, labels), want, name)
  t.equal(matches(by('app', 'Exists'), undefined), false, 'an object without labels')
})
