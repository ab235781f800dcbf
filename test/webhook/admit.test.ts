import t from 'tap'
import { buildAdmit } from '../../webhook/admit.ts'
import { type Lookup, Shed } from '../../webhook/lookup.ts'
import { parseReview } from '../../webhook/review.ts'
import { deepFreeze } from '../fixtures/freeze.ts'
import { bindingReview, podReview } from '../fixtures/reviews.ts'

const requestOf = (review: object) => deepFreeze(parseReview(JSON.stringify(review)))
const labelled = { labels: { 'topology.kubernetes.io/zone': 'eu-1b' } }

const known: Lookup = {
  pod: async () => 'opted-in',
  zone: async () => ({ zone: 'eu-1a' }),
}
const mustNotBeAsked = async () => {
  throw new Error('must not be asked')
}

t.test('each way from review to reason', async (t) => {
  const failing = async (_what: unknown, deadline: () => AbortSignal) => {
    deadline()
    throw new Error('connection refused')
  }
  const silent = (_what: unknown, deadline: () => AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      const signal = deadline()
      // a deadline alone does not keep the process running: a connection would
      const connection = setInterval(() => {}, 1_000)
      signal.addEventListener('abort', () => {
        clearInterval(connection)
        reject(signal.reason)
      })
    })
  const rows: { name: string; review: object; lookup: Partial<Lookup>; want: string; zone?: string }[] = [
    { name: 'opted in', review: bindingReview(), lookup: {}, want: 'stamped', zone: 'eu-1a' },
    {
      name: 'a zone on the Binding spares the Node',
      review: bindingReview({ metadata: labelled }),
      lookup: { zone: mustNotBeAsked },
      want: 'stamped',
      zone: 'eu-1b',
    },
    {
      name: 'a pod with nodeName spares the pod',
      review: podReview({ nodeName: 'node-a-1' }),
      lookup: { pod: mustNotBeAsked },
      want: 'stamped',
      zone: 'eu-1a',
    },
    {
      name: 'not opted in: the node does not matter',
      review: bindingReview(),
      lookup: { pod: async () => 'not-opted-in', zone: mustNotBeAsked },
      want: 'not-opted-in',
    },
    { name: 'pod gone', review: bindingReview(), lookup: { pod: async () => 'pod-gone' }, want: 'pod-gone' },
    {
      name: 'node gone',
      review: bindingReview(),
      lookup: { zone: async () => 'node-gone' },
      want: 'node-gone',
    },
    {
      name: 'node without zone',
      review: bindingReview(),
      lookup: { zone: async () => 'node-without-zone' },
      want: 'node-without-zone',
    },
    {
      name: 'no target',
      review: bindingReview({ target: {} }),
      lookup: { pod: mustNotBeAsked },
      want: 'no-target',
    },
    { name: 'pod lookup fails', review: bindingReview(), lookup: { pod: failing }, want: 'lookup-failed' },
    { name: 'node lookup fails', review: bindingReview(), lookup: { zone: failing }, want: 'lookup-failed' },
    { name: 'pod lookup hangs', review: bindingReview(), lookup: { pod: silent }, want: 'lookup-timeout' },
    { name: 'node lookup hangs', review: bindingReview(), lookup: { zone: silent }, want: 'lookup-timeout' },
    {
      name: 'too many wait already',
      review: bindingReview(),
      lookup: {
        pod: async () => {
          throw new Shed()
        },
      },
      want: 'shed',
    },
    {
      name: 'a fault of our own',
      review: bindingReview(),
      lookup: {
        pod: async () => {
          throw new TypeError('x is undefined')
        },
      },
      want: 'internal-error',
    },
  ]
  for (const { name, review, lookup, want, zone } of rows) {
    const verdict = await buildAdmit({ lookup: { ...known, ...lookup }, timeoutMs: 20 })(requestOf(review))
    t.equal(verdict.reason, want, `${name}: ${verdict.error?.message ?? 'no error'}`)
    t.equal(verdict.patch !== undefined, zone !== undefined, `${name}: a patch only with a stamp`)
    if (zone) t.match(JSON.stringify(verdict.patch), `"zonefirst.io/zone":"${zone}"`, name)
  }
})
