import t from 'tap'
import type { ServerStats } from '../../cli/haproxy-stats.ts'
import type { ProxyStats } from '../../cli/proxy-stats.ts'
import { countersOf, parseSaved, savedCounters } from '../../cli/report/counters.ts'
import { drawReport } from '../../cli/report/svg.ts'
import {
  bytesText,
  cost,
  dollars,
  percent,
  type Report,
  reportText,
  saving,
  spanText,
} from '../../cli/report/text.ts'
import { crossedShare, trafficOf } from '../../cli/report/traffic.ts'
import { healthyParts, now } from '../fixtures/inspection.ts'

const hour = 3_600_000
const { snapshot } = await healthyParts()
// web-1 is in zone a, web-2 in zone b
for (const [index, address] of ['10.88.0.1', '10.88.1.1'].entries()) {
  const endpoint = snapshot.slices[0].endpoints[index]
  Object.assign(endpoint, { addresses: [address], nodeName: `node-${index === 0 ? 'a' : 'b'}` })
}

function server(name: string, address: string, requests: number, bytes = requests * 1_000): ServerStats {
  const backend = 'shop_svc_web_http'
  const counters = { requests, bytesIn: bytes * 0.1, bytesOut: bytes * 0.9 }
  return { backend, server: name, status: 'UP', isActive: true, isBackup: false, address, ...counters }
}

function stats(
  zone: string,
  servers: ServerStats[],
  workerStart: number | undefined = now - hour,
): ProxyStats {
  const pod = `proxy-${zone}`
  return { namespace: 'haproxy-controller', pod, uid: `uid-${pod}`, version: undefined, workerStart, servers }
}

const traffic = (given: readonly ProxyStats[]) => trafficOf(snapshot, countersOf(given, now), { bound: 1.25 })

t.test('bytes are of the zone in which the pod is, whatever server line they went through', async (t) => {
  const { services, all } = traffic([
    stats('a', [server('local-8080-1', '10.88.0.1:8080', 60), server('SRV_2', '10.88.1.1:8080', 20)]),
    // a lent pod: a server of zone b, and in zone a
    stats('b', [server('local-8080-1', '10.88.0.1:8080', 10), server('local-8080-2', '10.88.1.1:8080', 10)]),
  ])
  t.match(services, [
    {
      namespace: 'shop',
      name: 'web',
      kept: { requests: 70, bytes: 70_000 },
      crossed: { requests: 30, bytes: 30_000 },
      unknown: { requests: 0, bytes: 0 },
    },
  ])
  t.equal(crossedShare(all), 0.3)
  t.equal(all.without, 0.5, 'of two pods, one is elsewhere for either zone')
  t.ok((all.least ?? 0) > 0, '80 % of the traffic in one zone of two with a pod each overloads that pod')
})

t.test('what can’t be told is neither kept nor crossed', async (t) => {
  const gone = traffic([
    stats('a', [server('SRV_1', '10.88.7.7:8080', 5), server('SRV_2', '127.0.0.1:1', 5)]),
  ])
  t.match(gone.all, { kept: { bytes: 0 }, crossed: { bytes: 0 }, unknown: { requests: 10 } })
  t.equal(crossedShare(gone.all), undefined)
  const foreign = {
    ...server('SRV_1', '10.88.0.1:8080', 5),
    backend: 'haproxy-controller_default-local-service_http',
  }
  t.strictSame(
    traffic([stats('a', [foreign])]).services,
    [],
    'the controller’s own backend is nobody’s Service',
  )
})

t.test('backends by their names', async (t) => {
  for (const backend of ['shop_svc_web_http', 'shop_alone_svc_web_http', 'shop_web_http']) {
    const { services } = traffic([stats('a', [{ ...server('s', '10.88.0.1:8080', 5), backend }])])
    t.match(services, [{ namespace: 'shop', name: 'web' }], backend)
  }
})

t.test('money is by each HAProxy’s own span', async (t) => {
  const month = 30.44 * 24
  const { all } = traffic([
    stats('a', [server('SRV_1', '10.88.1.1:8080', 1, 1e9)], now - hour),
    stats('b', [server('SRV_1', '10.88.0.1:8080', 1, 1e9)], now - 10 * hour),
  ])
  t.equal(cost(all, 0.02)?.toFixed(4), (1.1 * month * 0.02).toFixed(4))
  t.equal(
    saving(all, 0.02)?.toFixed(4),
    (-0.55 * month * 0.02).toFixed(4),
    'all of it crosses, half of it would',
  )
  const unknown = traffic([{ ...stats('a', [server('SRV_1', '10.88.1.1:8080', 1)]), workerStart: undefined }])
  t.equal(cost(unknown.all, 0.02), undefined)
})

t.test('a saved run', async (t) => {
  const before = [stats('a', [server('SRV_1', '10.88.0.1:8080', 100)])]
  const saved = parseSaved(JSON.stringify(savedCounters(before, now - 600_000)))
  const later = (workerStart: number) => [stats('a', [server('SRV_1', '10.88.0.1:8080', 130)], workerStart)]
  const same = countersOf(later(now - hour), now, saved)
  t.match(same, [{ span: 600_000, servers: [{ requests: 30, bytesIn: 3_000, bytesOut: 27_000 }] }])
  const reloaded = countersOf(later(now - 60_000), now, saved)
  t.match(reloaded, [{ span: 60_000, servers: [{ requests: 130 }] }], 'counters begin at 0 after a reload')
  for (const text of ['', '[]', 'null', '{"format":"x"}', '{"format":"zonefirst-counters-1"}']) {
    t.throws(() => parseSaved(text), text)
  }
})

t.test('as people read it', async (t) => {
  t.equal(bytesText(999), '999 B')
  t.equal(bytesText(65_536), '65.5 kB')
  t.equal(bytesText(123_456_789_000), '123 GB')
  t.equal(percent(0), '0%')
  t.equal(percent(0.004), '0.4%')
  t.equal(percent(2 / 3), '67%')
  t.equal(percent(0.0996), '10%')
  t.equal(percent(0.996), '99.6%', 'what crossed isn’t rounded away')
  t.equal(percent(0.9999), '>99.9%')
  t.equal(percent(0.0001), '<0.1%')
  t.equal(percent(1 - Number.EPSILON), '100%', 'a sum of shares')
  t.equal(percent(undefined), '-')
  t.equal(dollars(1_234.5), '$1,235')
  t.equal(dollars(-3), '-$3.00')
  t.equal(dollars(-0.001), '$0.00')
  const spans = (...given: (number | undefined)[]) =>
    spanText({ proxies: given.map((span) => ({ namespace: '', pod: '', uid: '', span, servers: [] })) })
  t.equal(spans(hour * 3), 'by 1 HAProxy over the last 3h')
  t.equal(spans(hour * 3, 60_000), 'by 2 HAProxies over the last 60s to 3h, from reload to now')
  t.match(spans(hour, undefined), /not known/)
})

function reportOf(given: readonly ProxyStats[]): Report {
  const proxies = countersOf(given, now)
  const { services, all } = trafficOf(snapshot, proxies, { bound: 1.25 })
  return { services, all, proxies, unread: [], zonal: new Set(['shop/web']), price: 0.02 }
}

t.test('table and picture', async (t) => {
  const report = reportOf([
    stats('a', [server('local-8080-1', '10.88.0.1:8080', 900), server('SRV_2', '10.88.1.1:8080', 100)]),
  ])
  const text = reportText(report)
  t.match(text, /^shop\/web +yes +1000 +10% +1\.0 MB +10% /m)
  t.match(text, /^all /m)
  const long = report.services.map((service) => ({ ...service, name: 'recommendations-of-today' }))
  t.match(reportText({ ...report, services: long }), /^shop\/recommendations-of-today\n +no +1000 /m)
  t.match(reportText(reportOf([stats('a', [])])), /^No request was counted by 1 HAProxy/)
})

const drawnTexts = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map((match) => match[1])

t.test('the picture', async (t) => {
  const half = stats('a', [
    server('local-8080-1', '10.88.0.1:8080', 900),
    server('SRV_2', '10.88.1.1:8080', 100),
  ])
  const report = reportOf([half])
  const [service] = report.services
  if (service === undefined) throw new Error('no Service')
  const texts = (changes: Partial<Report>) => drawnTexts(drawReport({ ...report, ...changes }))

  const svg = drawReport(report)
  t.match(svg, /<svg xmlns/)
  t.ok(drawnTexts(svg).includes('90% of 1.0 MB stayed in its zone'))
  const bars = [...svg.matchAll(/width="([\d.]+)" height="20" fill="[^"]+" class="(\w+)"/g)]
  const length = Object.fromEntries(bars.map(([, width, kind]) => [kind, Number(width)]))
  t.equal((length.kept ?? 0) / (length.crossed ?? 1), 9, 'bars are as long as what they show')
  t.match(svg, /prefers-color-scheme: dark/)
  t.notOk(texts({}).includes('not by zone'))
  t.ok(texts({ zonal: new Set() }).includes('not by zone'))

  const name = 'recommendations-of-the-customer-engine'
  const family = ['v2', 'v3'].map((version) => ({ ...service, name: `${name}-${version}` }))
  const names = texts({ services: family }).filter((text) => text?.startsWith('recommend'))
  t.equal(names.length, 2)
  t.not(names[0], names[1], 'Services of one family are told apart')
  t.ok(
    names.every((text) => (text?.length ?? 0) <= 26),
    'and fit beside their bars',
  )

  const [, , , , ...rest] = texts({ services: [{ ...service, namespace: 'payments-production-southeast' }] })
  t.ok(
    rest.some((text) => text?.startsWith('payments-pr…-southeast ·')),
    'so do long namespaces',
  )

  const hostile = drawReport({ ...report, services: [{ ...service, name: 'a&b<c>' }] })
  t.match(hostile, '>a&amp;b&lt;c&gt;<')
  t.notMatch(hostile, '<c>')
})

t.test('the picture of nothing, and of what is not known', async (t) => {
  const none = drawReport(reportOf([stats('a', [])]))
  t.strictSame(
    drawnTexts(none),
    ['No request was counted', 'Counted by 1 HAProxy over the last 60m'],
    'neither money nor a chart without bars',
  )
  const gone = reportOf([stats('a', [server('SRV_1', '10.88.7.7:8080', 5)])])
  t.match(drawnTexts(drawReport(gone))[0], /^Where 5\.0 kB went is not known/)
  t.match([cost(gone.all, 1), saving(gone.all, 1)], [undefined, undefined], 'nothing known, nothing saved')
  const timeless = { ...stats('a', [server('SRV_1', '10.88.0.1:8080', 5)]), workerStart: undefined }
  const texts = drawnTexts(drawReport(reportOf([timeless])))
  t.notOk(texts.some((text) => text?.includes('$')))
})
