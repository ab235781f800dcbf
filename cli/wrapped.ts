// Pure: a sentence in the width of a terminal, broken between words alone.

/** Without `columns` (a pipe or a file) in one line. Lines after the first begin with `indent`. */
export function wrapped(text: string, columns: number | undefined, indent = ''): string {
  if (columns === undefined) return text
  const start = /^ */.exec(text)?.[0] ?? ''
  const lines: string[] = []
  let line = start
  for (const word of text.trim().split(' ')) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`
    if (longer.length > columns && line.trim() !== '') {
      lines.push(line)
      line = indent + word
    } else line = longer
  }
  return [...lines, line].join('\n')
}
