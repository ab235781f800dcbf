import t from 'tap'
import { refusalOfWrite } from '../../../annotator/plan/write-refusal.ts'
import { ApiError } from '../../../lib/kube.ts'

const refused = (status: number, ...causes: string[]) => {
  const details = { causes: causes.map((reason) => ({ reason })) }
  return new ApiError({ method: 'PATCH', path: '/x' }, status, JSON.stringify({ message: 'no', details }))
}

t.test('what is told of a write that the API server refuses', async (t) => {
  const rows = [
    { name: 'somebody else’s field', error: refused(409, 'FieldManagerConflict'), want: 'AnnotationTaken' },
    { name: 'another version by now', error: refused(409), want: undefined },
    { name: 'a policy', error: refused(422), want: 'WriteRejected' },
    { name: 'no permission', error: refused(403), want: 'WriteRejected' },
    { name: 'a namespace that ends', error: refused(403, 'NamespaceTerminating'), want: undefined },
    { name: 'the API server fails', error: refused(500), want: undefined },
    { name: 'no answer', error: new Error('ECONNRESET'), want: undefined },
  ]
  for (const { name, error, want } of rows) t.equal(refusalOfWrite(error, 'our/key')?.reason, want, name)
  t.match(refusalOfWrite(refused(409, 'FieldManagerConflict'), 'our/key')?.message, 'our/key: remove it')
  t.match(refusalOfWrite(refused(422), 'our/key')?.message, /rejects what it needs: PATCH \/x: 422 no$/)
})
