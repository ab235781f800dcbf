// What dialects have in common that write server lines into an annotation which users have too: one text reaches every
// backend of the Service, and a text of somebody else stays.
import { serverLines } from '../server-lines.ts'
import { zonalServiceHost } from '../zonal-host.ts'
import type { Dialect, Servers } from './dialect.ts'

/** First line of every text of ours: tells it from a user's. */
const mark = '# written by zonefirst'

/** Whether a snippet is a text of ours, under whatever annotation. */
export const isOurSnippet = (value: string): boolean => value.startsWith(mark)

interface SnippetDialect
  extends Pick<Dialect, 'annotation' | 'controller' | 'words' | 'reachesTCP' | 'customResources'> {
  /** what to do where the annotation is taken, and where there are several ports */
  advice: { taken: string; ports: string }
}

export function snippetDialect({ advice, ...own }: SnippetDialect): Dialect {
  return {
    ...own,
    isOurs: isOurSnippet,
    refuse({ ports }: Servers, today) {
      if (today !== undefined && !isOurSnippet(today)) {
        const message = `the annotation ${own.annotation} holds somebody else's text: ${advice.taken}`
        return { reason: 'SnippetTaken', message }
      }
      if (new Set(Object.values(ports)).size > 1) {
        const message = `Ingresses (or TCP resources) route to several ports of this Service, and one snippet reaches the backends of all: ${advice.ports}`
        return { reason: 'SeveralPorts', message }
      }
      return undefined
    },
    write({ namespace, prefix, slots, ports, family }: Servers): string {
      const [port = 0] = Object.values(ports)
      const host = zonalServiceHost.write({ namespace, prefix })
      return [mark, ...serverLines({ host, slots, port, family }), ''].join('\n')
    },
    read(value) {
      if (value === undefined || !isOurSnippet(value)) return undefined
      const [, slots, host = ''] = /^server-template \S+ (\d+) "(\S+):\d+"/m.exec(value) ?? []
      const prefix = zonalServiceHost.prefixOf(host)
      return prefix === undefined ? undefined : { slots: Number(slots), prefix }
    },
  }
}
