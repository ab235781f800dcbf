import t from 'tap'
import { answerReview, BadReview, parseReview } from '../../webhook/review.ts'
import { bindingReview } from '../fixtures/reviews.ts'

t.test('the parts of a review', async (t) => {
  const review = bindingReview()
  t.strictSame(parseReview(JSON.stringify(review)), {
    uid: '0a1b2c3d-0000-4000-8000-000000000002',
    resource: 'pods/binding',
    operation: 'CREATE',
    namespace: 'shop',
    name: 'web-1',
    object: review.request.object,
  })
})

t.test('what is no review is the sender’s fault, and told in a sentence', async (t) => {
  const notAReview = /^The body is not an AdmissionReview of admission\.k8s\.io\/v1: /
  const rows = [
    { name: 'empty', text: '', want: /^The body is not JSON: / },
    { name: 'no JSON', text: '{"kind":', want: /^The body is not JSON: / },
    { name: 'null', text: 'null', want: notAReview },
    { name: 'a list', text: '[]', want: notAReview },
    { name: 'another kind', text: '{"kind":"Pod","apiVersion":"v1"}', want: notAReview },
    {
      name: 'an older version',
      text: JSON.stringify({ ...bindingReview(), apiVersion: 'admission.k8s.io/v1beta1' }),
      want: notAReview,
    },
    {
      name: 'no request',
      text: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}',
      want: /^The AdmissionReview has no request\.uid/,
    },
  ]
  for (const { name, text, want } of rows) {
    t.throws(() => parseReview(text), { constructor: BadReview, statusCode: 400, message: want }, name)
  }
})

t.test('the answer', async (t) => {
  t.strictSame(answerReview('u'), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: true },
  })
  const patch = [{ op: 'add', path: '/metadata/labels', value: { zone: 'é' } } as const]
  const { response } = answerReview('u', patch)
  t.match(response, { uid: 'u', allowed: true, patchType: 'JSONPatch' })
  t.strictSame(JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString()), patch)
})
