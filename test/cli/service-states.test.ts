import t from 'tap'
import { installationOf } from '../../cli/installation.ts'
import { serviceStates } from '../../cli/service-states.ts'
import { statusTable } from '../../cli/status.ts'
import { healthyParts, now, type Parts, rawPod, slice } from '../fixtures/inspection.ts'

const healthy = await healthyParts()
function statesAfter(change: (parts: Parts) => void) {
  const parts = structuredClone(healthy)
  change(parts)
  return serviceStates(parts.snapshot, installationOf(parts.snapshot))
}
const webAfter = (change: (parts: Parts) => void) => statesAfter(change).find(({ key }) => key === 'shop/web')

t.test('a Service that is as it should be', async (t) => {
  const web = webAfter(() => {})
  t.match(web, { mode: 'zonal', reason: 'Routed', isConcerned: true, missing: [] })
  t.strictSame(web?.zones, [
    { zone: 'a', key: 'a', ready: 1, serving: 1, lent: 0, proxies: 1 },
    { zone: 'b', key: 'b', ready: 1, serving: 1, lent: 0, proxies: 1 },
  ])
})

t.test('modes', async (t) => {
  const withoutAnnotation = webAfter(({ snapshot }) => {
    delete snapshot.services[0].metadata.annotations
  })
  t.match(withoutAnnotation, { mode: 'starting', missing: [{ kind: 'set-annotation' }] })
  const keptOut = webAfter(({ snapshot }) => {
    snapshot.services[0].metadata.labels = { 'zonefirst.io/enabled': 'false' }
  })
  t.match(keptOut, { mode: 'ending', reason: 'KeptOut' })
  const off = webAfter(({ snapshot }) => {
    delete snapshot.services[0].metadata.annotations
    snapshot.services[0].metadata.labels = { 'zonefirst.io/enabled': 'false' }
    snapshot.services.splice(1)
  })
  t.match(off, { mode: 'off', reason: 'KeptOut', isConcerned: true })
})

t.test('a lent pod counts where it is, and where it serves', async (t) => {
  const web = webAfter(({ snapshot }) => {
    snapshot.pods.push(rawPod('web-3', 'a'))
    snapshot.pods.at(-1).metadata.labels['zonefirst.io/serves'] = 'b'
    snapshot.slices[0] = slice('shop', 'web', ['web-1', 'web-2', 'web-3'])
  })
  t.match(web?.zones, [
    { key: 'a', ready: 2, serving: 1, lent: 1 },
    { key: 'b', ready: 1, serving: 2, lent: 0 },
  ])
})

t.test('Services that nobody asked about', async (t) => {
  const states = statesAfter(({ snapshot }) => {
    snapshot.services.push(
      {
        metadata: { name: 'alien', namespace: 'shop', uid: 'uid-alien' },
        spec: { selector: { app: 'alien' } },
      },
      {
        metadata: { name: 'haproxy', namespace: 'haproxy-controller', uid: 'uid-haproxy' },
        spec: { selector: { 'zonefirst.io/role': 'proxy' } },
      },
    )
    snapshot.slices.push(slice('haproxy-controller', 'haproxy', ['proxy-a', 'proxy-b']))
  })
  t.strictSame(
    states.filter(({ isConcerned }) => isConcerned).map(({ key }) => key),
    ['shop/web'],
  )
})

t.test('the last change is the newest Event, or when our fields were written', async (t) => {
  const event = (reason: string, secondsAgo: number, uid = 'uid-web') => ({
    metadata: {},
    reason,
    involvedObject: { kind: 'Service', namespace: 'shop', name: 'web', uid },
    lastTimestamp: new Date(now - secondsAgo * 1_000).toISOString(),
  })
  const told = webAfter(({ snapshot }) => {
    snapshot.events = [event('ZoneFirst', 300), event('ZonesRebalanced', 60), event('Old', 1, 'uid-former')]
  })
  t.strictSame(told?.lastChange, { at: now - 60_000, what: 'ZonesRebalanced' })
  const wrote = webAfter(({ snapshot }) => {
    const time = new Date(now - 7_200_000).toISOString()
    snapshot.services[0].metadata.managedFields = [
      { manager: 'zonefirst-annotator', operation: 'Apply', time },
    ]
  })
  t.strictSame(wrote?.lastChange, { at: now - 7_200_000, what: 'written' })
  const table = statusTable(wrote ? [wrote] : [], { now })
  t.match(table, /^shop\/web +zonal +2 +2 +0 +2 +2h +Routed$/m, 'what its zones have together')
  t.match(table, /^ {2}a +1 +1 +0 +1$/m)
  t.match(statusTable([], { now }), /^No Service is routed by zone/)
  t.match(statusTable([], { now, namespace: 'shop' }), /^No Service in the namespace shop is routed by zone/)
})

t.test('in a terminal of 80 columns', async (t) => {
  const [routed, refused] = [() => {}, publishNotReady].map(webAfter)
  if (routed === undefined || refused === undefined) throw new Error('no Service')
  const zones = routed.zones.map((zone) => ({ ...zone, zone: 'eu-central-1a' }))
  const service = { ...routed, zones, lastChange: { at: now - 3_000_000, what: 'ZonesRebalanced' } }
  const isLong = (line: string) => line.length > 80
  const named = { ...service, key: 'payments-production/checkout', reason: 'PodsNotStamped' }
  const lines = statusTable([service, named, refused], { now, columns: 80 }).split('\n')
  t.ok(lines.includes('payments-production/checkout'), 'a long name has a line for itself')
  t.equal(
    lines
      .find((line) => line.startsWith('  all zones'))
      ?.split(/ +/)
      .at(-1),
    'PodsNotStamped',
  )
  t.strictSame(
    lines.filter(isLong).map((line) => line.split(/ +/).at(-1)),
    ['PublishesNotReadyAddresses'],
    'the longest of all reasons alone goes beyond it, and in its last column',
  )
  t.match(lines.join(' ').replaceAll(/ +/g, ' '), `shop/web: ${refused.message}`, 'sentences are whole')
})

function publishNotReady({ snapshot }: Parts): void {
  snapshot.services[0].spec.publishNotReadyAddresses = true
}

t.test('settings of the annotator count', async (t) => {
  const web = webAfter(({ snapshot }) => {
    const env = [{ name: 'ZONEFIRST_DIALECT', value: 'haproxytech-snippet' }]
    snapshot.annotator.value.spec.template.spec.containers[0].env = env
  })
  t.match(web, { mode: 'zonal', missing: [{ kind: 'set-annotation' }, { kind: 'remove-annotation' }] })
})
