// Pure: a text of a user's within a sentence for people.

const most = 80

/** Cut, and without what a terminal would act on: messages end in Events, and on administrators' screens. */
export function quoted(text: string): string {
  const plain = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return plain.length > most ? `${plain.slice(0, most)}…` : plain
}
