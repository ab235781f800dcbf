// Pure: rows of text as a table with aligned columns.

/** Columns whose cells are all numbers are aligned to the right. A row of one cell has its line for itself, whatever its width. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const aligned = rows.filter(({ length }) => length > 1)
  const widths = header.map((title, column) =>
    Math.max(title.length, ...aligned.map((row) => (row[column] ?? '').length)),
  )
  const isNumeric = header.map(
    (_, column) =>
      aligned.some((row) => /\d/.test(row[column] ?? '')) &&
      aligned.every((row) => /^[-<>\d.,%$]*( [kMGTP]?B)?$/.test(row[column] ?? '')),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return `${[header, ...rows].map(line).join('\n')}\n`
}

/** Such as 45s, 12m, 3h or 8d, as kubectl says ages. */
export function age(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1_000), 0)
  if (seconds < 120) return `${seconds}s`
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)}m`
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)}h`
  return `${Math.round(seconds / 86_400)}d`
}
