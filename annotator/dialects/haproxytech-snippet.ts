// haproxytech controllers before 3.2: the annotation holds the server lines themselves. One text reaches every backend
// of the Service, and the annotation is one that users have too.
import { serverLines } from '../server-lines.ts'
import type { Dialect, Servers } from './dialect.ts'

/** First line of every text of ours: tells it from a user's. */
const mark = '# written by zonefirst'

export const haproxytechSnippet: Dialect = {
  annotation: 'haproxy.org/backend-config-snippet',
  refuse({ ports }: Servers, today) {
    if (today !== undefined && !this.isOurs(today)) {
      const message = `the annotation ${this.annotation} holds somebody else's text: move it to the Ingress, or use the custom annotation dialect, which leaves it alone`
      return { reason: 'SnippetTaken', message }
    }
    if (new Set(Object.values(ports)).size > 1) {
      const message =
        'Ingresses route to several ports of this Service, and one snippet reaches the backends of all: use one Service a port, or the custom annotation dialect'
      return { reason: 'SeveralPorts', message }
    }
    return undefined
  },
  write({ namespace, prefix, slots, ports, family }: Servers): string {
    const [port = 0] = Object.values(ports)
    return [mark, ...serverLines({ namespace, prefix, slots, port, family }), ''].join('\n')
  },
  isOurs: (value) => value.startsWith(mark),
  read(value) {
    if (value === undefined || !this.isOurs(value)) return undefined
    const found = /^server-template \S+ (\d+) "(\S+)-\$\{ZONE\}\./m.exec(value)
    return found ? { slots: Number(found[1]), prefix: found[2] ?? '' } : undefined
  },
}
