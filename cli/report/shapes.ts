// Pure: the few shapes that the report's picture is made of. Each has its colour twice: as an attribute, for programs that
// know no style sheet, and by its class, which a dark page changes.

const colours = {
  text: ['#1f2933', '#e6edf3'],
  faint: ['#616e7c', '#9aa5b1'],
  kept: ['#2f9e8f', '#2f9e8f'],
  crossed: ['#e8833a', '#e8833a'],
  unknown: ['#cbd2d9', '#52606d'],
  paper: ['#ffffff', '#161b22'],
} as const
export type Colour = keyof typeof colours

/** Of every element that is drawn; pictures in a page follow its reader's choice. */
export function darkStyle(): string {
  const rules = Object.entries(colours).map(
    ([name, [, dark]]) => `.${name}{fill:${dark}}.${name}-line{stroke:${dark}}`,
  )
  return `<style>@media (prefers-color-scheme: dark){${rules.join('')}}</style>`
}

export interface TextStyle {
  size: number
  weight?: number
  colour?: Colour
  anchor?: 'start' | 'middle' | 'end'
}

export function text(
  x: number,
  y: number,
  content: string,
  { size, weight = 400, colour = 'text', anchor = 'start' }: TextStyle,
): string {
  const anchored = anchor === 'start' ? '' : ` text-anchor="${anchor}"`
  return `<text x="${round(x)}" y="${y}" font-size="${size}" font-weight="${weight}"${anchored} ${filled(colour)}>${escaped(content)}</text>`
}

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

export function box({ x, y, width, height }: Box, colour: Colour): string {
  return `<rect x="${round(x)}" y="${y}" width="${round(width)}" height="${height}" ${filled(colour)}/>`
}

export function diamond(x: number, y: number): string {
  return `<path d="M${round(x)} ${y - 6}l6 6l-6 6l-6 -6z" stroke="${colours.text[0]}" stroke-width="1.5" fill="${colours.paper[0]}" class="paper text-line"/>`
}

export function dashes(x: number, y: number, height: number): string {
  return `<path d="M${round(x)} ${y - height / 2}v${height}" stroke="${colours.text[0]}" stroke-width="2" stroke-dasharray="3 2" class="text-line"/>`
}

/** A title: read out, and shown where the pointer rests on what it is in. */
export function title(content: string): string {
  return `<title>${escaped(content)}</title>`
}

function filled(colour: Colour): string {
  return `fill="${colours[colour][0]}" class="${colour}"`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
