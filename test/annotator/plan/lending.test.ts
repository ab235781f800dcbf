import t from 'tap'
import { lendingOf } from '../../../annotator/plan/lending.ts'
import type { PodWrite } from '../../../annotator/plan/stamps.ts'
import { pod } from '../../fixtures/cluster-objects.ts'

const write = (name: string, before: string | undefined, serves: string | undefined): PodWrite => ({
  kind: 'write-pod',
  pod: pod(name, 'a', { serves: before }),
  zone: 'a',
  zoneKey: 'a',
  serves,
})

t.test('what people are told', async (t) => {
  t.match(lendingOf([write('w', 'a', 'b')]), /: w \(a\) is lent to b$/)
  t.match(lendingOf([write('w', 'b', 'a')]), /: w serves its own zone a again$/)
  t.match(lendingOf([write('w', 'a', undefined)]), /: w \(a\) serves no zone$/)
  t.equal(lendingOf([write('w', undefined, 'a')]), undefined, 'a label that the API server did not copy')
  const stamped = { ...write('w', 'a', 'a'), pod: pod('w', 'a', { zoneKey: undefined }) }
  t.equal(lendingOf([stamped]), undefined, 'a stamp')
  const many = Array.from({ length: 7 }, (_, index) => write(`w${index}`, 'a', 'b'))
  t.match(lendingOf(many), /w4 \(a\) is lent to b, and 2 more$/)
})
