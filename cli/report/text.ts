// Pure: the report as a table for people and as JSON for programs.
import { age, table } from '../table.ts'
import { wrapped } from '../wrapped.ts'
import type { ProxyCounters } from './counters.ts'
import { bytesOf, crossedShare, type ServiceTraffic, type Traffic } from './traffic.ts'

export interface Report {
  services: readonly ServiceTraffic[]
  all: Traffic
  proxies: readonly ProxyCounters[]
  /** pods whose HAProxy could not be read */
  unread: readonly string[]
  /** keys of Services that are routed by zone */
  zonal: ReadonlySet<string>
  /** dollars for a GB that crosses */
  price: number
}

const header = [
  'SERVICE',
  'BY ZONE',
  'REQUESTS',
  'CROSSED',
  'BYTES',
  'CROSSED',
  'LEAST',
  'WITHOUT',
  'A MONTH',
  'SAVED',
]

/** `columns` as the terminal has them, for the sentences. */
export function reportText(report: Report, columns?: number | undefined): string {
  const { services, all, price, unread } = report
  if (bytesOf(all) === 0) return `No request was counted ${spanText(report)}.\n`
  const rows = services.flatMap((service) => {
    const key = `${service.namespace}/${service.name}`
    const own = [report.zonal.has(key) ? 'yes' : 'no', ...cells(service, price)]
    // a long name has a line for itself
    return key.length > 16 ? [[key], ['', ...own]] : [[key, ...own]]
  })
  const lines = [
    `Counted ${spanText(report)}.`,
    'BYTES go both ways between HAProxy and pods; CROSSED is the share that left its zone, LEAST what has to so that no pod of today’s is overloaded, WITHOUT what would without zonefirst.',
    `A MONTH is what crosses at this rate for $${price} a GB (10⁹ bytes), both directions of the charge together; SAVED is against WITHOUT.`,
  ]
  if (all.unknown.bytes > 0) {
    lines.push(
      `${percent(all.unknown.bytes / bytesOf(all))} of the bytes went to pods that are gone: they count for neither.`,
    )
  }
  if (unread.length > 0) lines.push(`Not read: ${unread.join(', ')}.`)
  const sentences = lines.map((line) => `${wrapped(line, columns, '  ')}\n`).join('')
  return `${table(header, [...rows, ['all', '', ...cells(all, price)]])}\n${sentences}`
}

export function reportJson(report: Report): object {
  const { services, all, proxies, unread, zonal, price } = report
  const described = (traffic: Traffic) => ({
    requests: {
      kept: traffic.kept.requests,
      crossed: traffic.crossed.requests,
      unknown: traffic.unknown.requests,
    },
    bytes: { kept: traffic.kept.bytes, crossed: traffic.crossed.bytes, unknown: traffic.unknown.bytes },
    shares: { crossed: crossedShare(traffic), least: traffic.least, without: traffic.without },
    dollarsAMonth: { crossed: cost(traffic, price), saved: saving(traffic, price) },
  })
  return {
    pricePerGB: price,
    services: services.map((service) => ({
      namespace: service.namespace,
      name: service.name,
      routedByZone: zonal.has(`${service.namespace}/${service.name}`),
      ...described(service),
    })),
    all: described(all),
    proxies: proxies.map(({ namespace, pod, span }) => ({
      namespace,
      pod,
      ...(span !== undefined && { spanSeconds: Math.round(span / 1_000) }),
    })),
    unread,
  }
}

/** Dollars a month for what crosses; undefined where nothing is known of it. */
export function cost(traffic: Traffic, price: number): number | undefined {
  const { monthly } = traffic
  if (monthly === undefined || crossedShare(traffic) === undefined) return undefined
  return (monthly.crossed / 1e9) * price
}

/** Dollars a month that it would be more without zonefirst; less than nothing where it crosses more. */
export function saving(traffic: Traffic, price: number): number | undefined {
  const { monthly, without } = traffic
  if (monthly === undefined || without === undefined || crossedShare(traffic) === undefined) return undefined
  return ((monthly.all * without - monthly.crossed) / 1e9) * price
}

/** Such as `over 3 h`, or `over 10 m to 3 h`, as each HAProxy has counted since its last reload. */
export function spanText({ proxies }: Pick<Report, 'proxies'>): string {
  const spans = proxies.map(({ span }) => span).filter((span) => span !== undefined)
  const who = `by ${proxies.length} HAProx${proxies.length === 1 ? 'y' : 'ies'}`
  if (spans.length < proxies.length || spans.length === 0)
    return `${who} since their last reloads, whose times are not known`
  const [least, most] = [age(Math.min(...spans)), age(Math.max(...spans))]
  return least === most
    ? `${who} over the last ${most}`
    : `${who} over the last ${least} to ${most}, from reload to now`
}

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  let [amount, unit] = [bytes, 0]
  while (amount >= 1_000 && unit < units.length - 1) [amount, unit] = [amount / 1_000, unit + 1]
  return `${amount >= 100 || unit === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`
}

/** With a decimal near either end, where a whole percent would hide that something crossed, or that something stayed. */
export function percent(share: number | undefined): string {
  if (share === undefined) return '-'
  const toEnd = Math.min(share, 1 - share)
  // sums of shares aren't exact
  if (toEnd < 1e-9) return share < 0.5 ? '0%' : '100%'
  if (toEnd < 0.0005) return share < 0.5 ? '<0.1%' : '>99.9%'
  return toEnd < 0.0995 ? `${(share * 100).toFixed(1)}%` : `${Math.round(share * 100)}%`
}

export function dollars(amount: number | undefined): string {
  if (amount === undefined) return '-'
  const digits = Math.abs(amount) >= 100 ? 0 : 2
  return `${amount <= -0.005 ? '-' : ''}$${Math.abs(amount).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}

function cells(traffic: Traffic, price: number): string[] {
  const requests = traffic.kept.requests + traffic.crossed.requests
  return [
    String(requests + traffic.unknown.requests),
    percent(requests === 0 ? undefined : traffic.crossed.requests / requests),
    bytesText(bytesOf(traffic)),
    percent(crossedShare(traffic)),
    percent(traffic.least),
    percent(traffic.without),
    dollars(cost(traffic, price)),
    dollars(saving(traffic, price)),
  ]
}
