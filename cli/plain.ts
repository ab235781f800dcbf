// Pure: what may reach a terminal. Names, annotations and answers of the cluster's are in what is shown, and nothing of that
// is to clear a screen or to look like something else.

/** Without control and formatting characters, line ends and tabs aside. */
export function plain(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')
}
