// How the demo speaks: numbered steps with their times, excerpts of what a person would look at, tables.

export interface Speaker {
  /** Says what is done, does it, says how long it took. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>
  note(text: string): void
  show(title: string, text: string): void
  table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): void
}

export function speaker(out: NodeJS.WritableStream): Speaker {
  let number = 0
  return {
    async step(title, work) {
      out.write(`\n${String(++number).padStart(2)}. ${title} …\n`)
      const startedAt = performance.now()
      const result = await work()
      out.write(`    done in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`)
      return result
    },
    note(text) {
      out.write(`    ${text}\n`)
    },
    show(title, text) {
      out.write(`\n    $ ${title}\n`)
      for (const line of text.trimEnd().split('\n')) out.write(`    ${line}\n`)
    },
    table(header, rows) {
      const all = [header, ...rows].map((row) => row.map(String))
      const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
      const line = (row: readonly string[]) =>
        `    ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()
      const [first = [], ...rest] = all
      out.write(`\n${line(first)}\n    ${widths.map((width) => '-'.repeat(width)).join('  ')}\n`)
      for (const row of rest) out.write(`${line(row)}\n`)
    },
  }
}

/** Lines of a text from the first one that matches to the last one that belongs to it by its indentation. */
export function excerpt(text: string, from: RegExp): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => from.test(line))
  if (start < 0) return ''
  const length = lines.slice(start + 1).findIndex((line) => !/^\s/.test(line))
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n')
}
