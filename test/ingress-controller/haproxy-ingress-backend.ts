// Backends that haproxy-ingress itself wrote, and what it writes where the annotation has another text: the text line by
// line, in the same place.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const recordedName = 'default_web_http'
/** The annotator's text as the controller wrote it. */
export const block = / {4}# written by zonefirst\n(?: {4}.*\n)*? {4}\.endif\n/

export const record = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'records', `haproxy-ingress-${name}.cfg`), 'utf8')

const recorded = record('config-backend')

/** The recorded backend with another text of the annotation, under another name. */
export function backendWith(text: string, name = recordedName): string {
  const indented = text.replaceAll(/^(?=.)/gm, '    ')
  return recorded.replace(block, () => indented).replace(recordedName, () => name)
}
