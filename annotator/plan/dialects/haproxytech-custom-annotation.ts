// haproxytech controller 3.2 and later: the annotation holds values only, an administrator's ValidationRules object
// holds the server lines and checks the values.
import { serversAnnotation } from '../../../lib/names.ts'
import type { Dialect, Servers } from './dialect.ts'
import { haproxytechWords } from './haproxytech-words.ts'

interface Value {
  name: string
  slots: number
  ports: Record<string, number>
  /** left out for ipv4 */
  family?: 'ipv6'
}

export const haproxytechCustomAnnotation: Dialect = {
  annotation: serversAnnotation,
  controller: 'haproxy.org/ingress-controller',
  words: haproxytechWords,
  // its template writes nothing where no Ingress leads
  reachesTCP: false,
  customResources: { tcps: [], backends: ['/apis/ingress.v3.haproxy.org/v3/backends'] },
  refuse: () => undefined,
  // nobody else may use this key: an admission policy sees to it
  isOurs: () => true,
  write({ prefix, slots, ports, family }: Servers): string {
    const sorted = Object.fromEntries(Object.entries(ports).sort(([a], [b]) => (a < b ? -1 : 1)))
    const value: Value = { name: prefix, slots, ports: sorted, ...(family === 'ipv6' && { family }) }
    return JSON.stringify(value)
  },
  read(value) {
    if (value === undefined) return undefined
    try {
      const { name, slots } = JSON.parse(value) as Partial<Value>
      return typeof name === 'string' && typeof slots === 'number' ? { prefix: name, slots } : undefined
    } catch {
      return undefined
    }
  },
}
