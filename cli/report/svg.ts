// Pure: the report as a picture. One bar a Service: what stayed, what crossed, and marks for the least possible and for
// what would cross without zonefirst.
import { bytesText, cost, dollars, percent, type Report, saving, spanText } from './text.ts'
import { bytesOf, crossedShare, type ServiceTraffic, type Traffic } from './traffic.ts'

const width = 860
const margin = 32
const nameWidth = 210
const barStart = margin + nameWidth
const barWidth = 430
const rowHeight = 44
const top = 150
const mostRows = 15
const colours = {
  text: '#1f2933',
  faint: '#616e7c',
  kept: '#2f9e8f',
  crossed: '#e8833a',
  unknown: '#cbd2d9',
  mark: '#1f2933',
  paper: '#ffffff',
}

export function drawReport(report: Report): string {
  const { services, all, price } = report
  const rows = services.filter((service) => bytesOf(service) > 0).slice(0, mostRows)
  const height = top + rows.length * rowHeight + 64
  const saved = saving(all, price)
  const headline =
    crossedShare(all) === undefined
      ? 'No request was counted'
      : `${percent(1 - (crossedShare(all) ?? 0))} of ${bytesText(bytesOf(all))} stayed in ${rows.length > 1 || services.length > 1 ? 'their' : 'its'} zone`
  const money =
    cost(all, price) === undefined
      ? ''
      : `Crossing costs ${dollars(cost(all, price))} a month at $${price} a GB${saved === undefined ? '' : `; without zonefirst it would be ${dollars((cost(all, price) ?? 0) + saved)}`}`
  const left = services.length - rows.length
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" role="img">`,
    `<title>${escaped(headline)}</title>`,
    `<rect width="${width}" height="${height}" fill="${colours.paper}"/>`,
    text(margin, 48, headline, { size: 24, weight: 600 }),
    text(margin, 76, money, { size: 15 }),
    text(margin, 98, capital(`counted ${spanText(report)}`), { size: 13, fill: colours.faint }),
    ...legend(
      126,
      rows.some(({ unknown }) => unknown.bytes > 0),
    ),
    text(barStart + barWidth + 12, top, 'crossed', { size: 11, fill: colours.faint }),
    ...rows.flatMap((service, index) => row(service, report, top + index * rowHeight)),
    ...axis(top + rows.length * rowHeight),
    ...(left > 0
      ? [
          text(margin, height - 18, `and ${left} Services with less traffic`, {
            size: 12,
            fill: colours.faint,
          }),
        ]
      : []),
    '</svg>',
    '',
  ].join('\n')
}

function row(service: ServiceTraffic, { zonal, price }: Report, y: number): string[] {
  const all = bytesOf(service)
  const name = `${service.namespace}/${service.name}`
  const parts: [keyof typeof colours, number][] = [
    ['kept', service.kept.bytes / all],
    ['crossed', service.crossed.bytes / all],
    ['unknown', service.unknown.bytes / all],
  ]
  let x = barStart
  const bars = parts.map(([kind, share]) => {
    const bar = `<rect x="${round(x)}" y="${y + 8}" width="${round(share * barWidth)}" height="20" fill="${colours[kind]}"/>`
    x += share * barWidth
    return share > 0 ? bar : ''
  })
  const note = zonal.has(name) ? bytesText(all) : `${bytesText(all)}, not by zone`
  const end = barStart + barWidth + 12
  return [
    text(margin, y + 17, shortened(name), { size: 14, weight: 500 }),
    text(margin, y + 32, note, { size: 11, fill: colours.faint }),
    ...bars.filter((bar) => bar !== ''),
    ...mark(service.least, y, 'least'),
    ...mark(service.without, y, 'without'),
    text(end, y + 23, percent(crossedShare(service)), { size: 14, weight: 600 }),
    text(
      end + 48,
      y + 23,
      cost(service, price) === undefined ? '' : `${dollars(cost(service, price))} a month`,
      {
        size: 12,
        fill: colours.faint,
      },
    ),
  ]
}

/** Bars fill from the left with what stays, so a share that crosses is measured from the right end. */
function mark(share: Traffic['least'], y: number, kind: 'least' | 'without'): string[] {
  if (share === undefined) return []
  return symbol(barStart + (1 - share) * barWidth, y + 18, kind)
}

function symbol(x: number, y: number, kind: 'least' | 'without', markHeight = 28): string[] {
  if (kind === 'without') {
    return [
      `<path d="M${round(x)} ${y - markHeight / 2}v${markHeight}" stroke="${colours.mark}" stroke-width="2" stroke-dasharray="3 2"/>`,
    ]
  }
  return [
    `<path d="M${round(x)} ${y - 6}l6 6l-6 6l-6 -6z" fill="${colours.paper}" stroke="${colours.mark}" stroke-width="1.5"/>`,
  ]
}

function legend(y: number, hasUnknown: boolean): string[] {
  const swatch = (x: number, kind: 'kept' | 'crossed' | 'unknown', label: string) => [
    `<rect x="${x}" y="${y - 10}" width="12" height="12" fill="${colours[kind]}"/>`,
    text(x + 18, y, label, { size: 12 }),
  ]
  return [
    ...swatch(barStart, 'kept', 'stayed in its zone'),
    ...swatch(barStart + 138, 'crossed', 'crossed zones'),
    ...symbol(barStart + 258, y - 4, 'least'),
    text(barStart + 270, y, 'least that has to', { size: 12 }),
    ...symbol(barStart + 384, y - 4, 'without', 14),
    text(barStart + 394, y, 'without zonefirst', { size: 12 }),
    ...(hasUnknown ? swatch(barStart + 512, 'unknown', 'not known') : []),
  ]
}

function axis(y: number): string[] {
  return [0, 0.5, 1].map((share) =>
    text(barStart + share * barWidth, y + 14, `${share * 100}%`, {
      size: 11,
      fill: colours.faint,
      anchor: share === 0 ? 'start' : share === 1 ? 'end' : 'middle',
    }),
  )
}

interface TextStyle {
  size: number
  weight?: number
  fill?: string
  anchor?: string
}

function text(
  x: number,
  y: number,
  content: string,
  { size, weight = 400, fill, anchor }: TextStyle,
): string {
  if (content === '') return ''
  const anchored = anchor === undefined ? '' : ` text-anchor="${anchor}"`
  return `<text x="${round(x)}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${fill ?? colours.text}"${anchored}>${escaped(content)}</text>`
}

function shortened(name: string): string {
  return name.length > 27 ? `${name.slice(0, 26)}…` : name
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
