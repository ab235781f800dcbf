import t from 'tap'
import { refusalOf } from '../../../annotator/plan/eligibility.ts'
import type { Reason } from '../../../annotator/plan/reasons.ts'
import { endpoints, input, pod, service } from '../../fixtures/cluster-objects.ts'

const unstamped = pod('web-4', 'b', { zone: undefined, zoneKey: undefined, serves: undefined })
const enabled = (value: string) => ({
  metadata: { ...service().metadata, labels: { 'zonefirst.io/enabled': value } },
})
const all = input().pods

const rows: { name: string; input: Parameters<typeof input>[0]; want: Reason | undefined }[] = [
  { name: 'all is well', input: {}, want: undefined },
  { name: 'kept out by its label', input: { primary: service(enabled('false')) }, want: 'KeptOut' },
  { name: 'no pod opted in', input: { pods: [] }, want: 'NotOptedIn' },
  {
    name: 'an ExternalName Service, opted in by mistake',
    input: {
      primary: service({ ...enabled('true'), spec: { type: 'ExternalName', externalName: 'x.test' } }),
    },
    want: 'ExternalName',
  },
  {
    name: 'no selector, opted in by its label',
    input: { primary: service({ ...enabled('true'), spec: { selector: {} } }), pods: [] },
    want: 'NoSelector',
  },
  { name: 'no Ingress', input: { routes: [] }, want: 'NotRouted' },
  {
    name: 'our own label in the selector',
    input: { primary: service({ spec: { selector: { app: 'web', 'zonefirst.io/serves': 'a' } } }) },
    want: 'OwnLabelInSelector',
  },
  {
    name: 'addresses of pods that are not ready',
    input: { primary: service({ spec: { publishNotReadyAddresses: true } }) },
    want: 'PublishesNotReadyAddresses',
  },
  { name: 'Nodes without zones', input: { zones: [] }, want: 'NoZones' },
  {
    name: 'no pod ready',
    input: { endpoints: [endpoints([], { unreadyPods: ['web-1'] })] },
    want: 'NoReadyPods',
  },
  {
    name: 'one ready pod without a stamp',
    input: { pods: [...all.slice(0, 3), unstamped] },
    want: 'PodsNotStamped',
  },
  { name: 'one ready pod that has not opted in', input: { pods: all.slice(0, 3) }, want: 'PodsNotStamped' },
  {
    name: 'an endpoint that is no pod',
    input: { endpoints: [endpoints(['web-1', 'web-2', 'web-3', 'web-4'], { others: 1 })] },
    want: 'PodsNotStamped',
  },
  {
    name: 'a pod without a stamp that is not ready',
    input: {
      pods: [...all.slice(0, 3), unstamped],
      endpoints: [endpoints(['web-1', 'web-2', 'web-3'], { unreadyPods: ['web-4'] })],
    },
    want: undefined,
  },
]

t.test('who is refused, and why', async (t) => {
  for (const row of rows) {
    const refusal = refusalOf(input(row.input))
    t.equal(refusal?.reason, row.want, row.name)
    if (refusal) t.match(refusal.message, /^\S.*[^.]$/, 'one sentence that an Event can carry on')
  }
})

t.test('the message says how far it is', async (t) => {
  t.match(
    refusalOf(input({ pods: all.slice(0, 3) }))?.message,
    /^3 of its 4 ready pods are opted in and stamped/,
  )
})
