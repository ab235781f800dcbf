// Pure: the result of a run as a table for docs/reliability.md.
import type { Fault } from './fault.ts'
import type { Result, Row } from './result.ts'

const [begin, end] = ['<!-- begin: make reliability-page -->', '<!-- end -->']

/** The page with the table between its two markers replaced. */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page lacks its markers ${begin} and ${end}: put them back`)
  return `${page.slice(0, from + begin.length)}\n\n${table}\n${page.slice(to)}`
}

export function tableOf({ seed, faults }: Result, all: readonly Fault[]): string {
  const lines = all.flatMap(({ name, title, about }) => {
    const row = faults.find((each) => each.name === name)
    return row ? [lineOf(row, title, about)] : []
  })
  const missing = all.filter(({ name }) => !faults.some((row) => row.name === name)).map(({ name }) => name)
  const total = (of: (row: Row) => number) => faults.reduce((sum, row) => sum + of(row), 0)
  return [
    '| about | fault | requests | failed | failed without zonefirst | p99 | crossed during | after | right after | writes |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
    '',
    `${lines.length} faults, seed ${seed}. In all ${total(({ requests }) => requests)} requests to each side: ` +
      `${total(({ failed }) => failed)} failed with zonefirst, ` +
      `${total(({ failedWithoutZonefirst }) => failedWithoutZonefirst)} without.` +
      (missing.length > 0 ? ` Not run: ${missing.join(', ')}.` : ''),
    '',
  ].join('\n')
}

function lineOf(row: Row, title: string, about: string): string {
  const share = (part: number) => `${(part * 100).toFixed(part > 0 && part < 0.1 ? 1 : 0)} %`
  const cells = [
    about,
    title,
    row.requests,
    row.failed,
    row.failedWithoutZonefirst,
    `${Math.round(row.p99Ms)} ms`,
    share(row.crossZoneDuring),
    share(row.crossZoneAfter),
    row.secondsToRight === null ? '**not in time**' : `${row.secondsToRight} s`,
    row.writes,
  ]
  return `| ${cells.join(' | ')} |`
}
