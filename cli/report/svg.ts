// Pure: the report as a picture. One bar a Service: what stayed, what crossed, and marks for the most that
// can stay without overloading pods, and for what would stay without zonefirst.
import { type Box, box, type Colour, darkStyle, dashes, diamond, text, title } from './shapes.ts'
import { bytesText, cost, dollars, percent, type Report, saving, spanText } from './text.ts'
import { bytesOf, crossedShare, type ServiceTraffic } from './traffic.ts'

const width = 860
const margin = 32
const barStart = margin + 218
const barWidth = 410
const shareEnd = barStart + barWidth + 68
const moneyEnd = width - margin
const rowHeight = 44
const mostRows = 15
const longestName = 26
const longestNamespace = 22

export function drawReport(report: Report): string {
  const rows = report.services.filter((service) => bytesOf(service) > 0).slice(0, mostRows)
  const heading = headline(report)
  const lines = [moneyLine(report), capital(`counted ${spanText(report)}`)].filter((line) => line !== '')
  const chartTop = 84 + lines.length * 22
  const drawn = [
    text(margin, 48, heading, { size: 24, weight: 600 }),
    ...lines.map((line, index) =>
      text(margin, 76 + index * 22, line, {
        size: 14,
        colour: index === lines.length - 1 ? 'faint' : 'text',
      }),
    ),
    ...(rows.length > 0 ? chart(rows, report, chartTop) : []),
  ]
  const height = rows.length === 0 ? chartTop : chartTop + 26 + rows.length * rowHeight + 56
  return [
    // narrower than that, it shrinks
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" style="max-width:100%;height:auto" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" role="img">`,
    title(heading),
    darkStyle(),
    box({ x: 0, y: 0, width, height }, 'paper'),
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

function headline({ services, all }: Report): string {
  const crossed = crossedShare(all)
  const bytes = bytesText(bytesOf(all))
  if (bytesOf(all) === 0) return 'No request was counted'
  if (crossed === undefined) return `Where ${bytes} went is not known: those pods are gone`
  return `${percent(1 - crossed)} of ${bytes} stayed in ${services.length > 1 ? 'their' : 'its'} zone`
}

function moneyLine({ all, price }: Report): string {
  const [now, saved] = [cost(all, price), saving(all, price)]
  if (now === undefined) return ''
  const without =
    saved === undefined ? '' : `; without zonefirst it would be ${dollars(Math.max(now + saved, 0))}`
  return `Crossing costs ${dollars(now)} a month at $${price} a GB${without}`
}

function chart(rows: readonly ServiceTraffic[], report: Report, y: number): string[] {
  const [first, left] = [y + 26, report.services.length - rows.length]
  const end = first + rows.length * rowHeight
  const faint = { size: 11, colour: 'faint' } as const
  const hasUnknown = rows.some(({ unknown }) => unknown.bytes > 0)
  return [
    ...legend(y, hasUnknown),
    text(shareEnd, first, 'crossed', { ...faint, anchor: 'end' }),
    ...(rows.some(({ monthly }) => monthly)
      ? [text(moneyEnd, first, 'a month', { ...faint, anchor: 'end' })]
      : []),
    ...rows.flatMap((service, index) => row(service, report, first + index * rowHeight)),
    text(barStart, end + 14, '0%', faint),
    text(barStart + barWidth / 2, end + 14, '50%', { ...faint, anchor: 'middle' }),
    text(barStart + barWidth, end + 14, '100%', { ...faint, anchor: 'end' }),
    ...(left > 0
      ? [text(margin, end + 38, `and ${left} more with less traffic`, { ...faint, size: 12 })]
      : []),
  ]
}

function row(service: ServiceTraffic, { zonal, price }: Report, y: number): string[] {
  const all = bytesOf(service)
  const key = `${service.namespace}/${service.name}`
  const faint = { size: 11, colour: 'faint' } as const
  const note = `${shortened(service.namespace, longestNamespace)} · ${bytesText(all)}`
  const bars: [Box, Colour][] = []
  let x = barStart
  for (const kind of ['kept', 'crossed', 'unknown'] as const) {
    const length = (service[kind].bytes / all) * barWidth
    if (length > 0) bars.push([{ x, y: y + 8, width: length, height: 20 }, kind])
    x += length
  }
  const money = cost(service, price)
  // what stays fills a bar from the left, so a share that crosses is measured from its right end
  const markAt = (share: number) => barStart + (1 - share) * barWidth
  return [
    '<g>',
    title(`${key}: ${percent(crossedShare(service))} of ${bytesText(all)} crossed zones`),
    text(margin, y + 16, shortened(service.name, longestName), { size: 14, weight: 500 }),
    text(margin, y + 32, note, faint),
    ...bars.map(([shape, kind]) => box(shape, kind)),
    ...(service.without === undefined ? [] : [dashes(markAt(service.without), y + 18, 28)]),
    ...(service.least === undefined ? [] : [diamond(markAt(service.least), y + 18)]),
    text(shareEnd, y + 23, percent(crossedShare(service)), { size: 14, weight: 600, anchor: 'end' }),
    ...(zonal.has(key)
      ? []
      : [text(shareEnd, y + 36, 'not by zone', { size: 10, colour: 'faint', anchor: 'end' })]),
    ...(money === undefined ? [] : [text(moneyEnd, y + 23, dollars(money), { size: 12, anchor: 'end' })]),
    '</g>',
  ]
}

function legend(y: number, hasUnknown: boolean): string[] {
  const swatch = (x: number, kind: Colour, label: string) => [
    box({ x, y: y - 10, width: 12, height: 12 }, kind),
    text(x + 18, y, label, { size: 12 }),
  ]
  return [
    ...swatch(barStart, 'kept', 'stayed in its zone'),
    ...swatch(barStart + 138, 'crossed', 'crossed zones'),
    diamond(barStart + 258, y - 4),
    text(barStart + 270, y, 'best without overload', { size: 12 }),
    dashes(barStart + 418, y - 4, 14),
    text(barStart + 428, y, 'without zonefirst', { size: 12 }),
    ...(hasUnknown ? swatch(margin, 'unknown', 'not known: pods are gone') : []),
  ]
}

/** In the middle, as names of one family differ at their ends. */
function shortened(name: string, longest: number): string {
  if (name.length <= longest) return name
  const half = Math.floor((longest - 1) / 2)
  return `${name.slice(0, longest - 1 - half)}…${name.slice(-half)}`
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
