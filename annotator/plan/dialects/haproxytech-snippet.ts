// haproxytech controllers before 3.2: the annotation holds the server lines themselves, for all backends of the Service.
import { haproxytechWords } from './haproxytech-words.ts'
import { snippetDialect } from './snippet.ts'

export const haproxytechSnippet = snippetDialect({
  annotation: 'haproxy.org/backend-config-snippet',
  controller: 'haproxy.org/ingress-controller',
  words: haproxytechWords,
  reachesTCP: true,
  customResources: {
    tcps: ['/apis/ingress.v3.haproxy.org/v3/tcps', '/apis/ingress.v1.haproxy.org/v1/tcps'],
    backends: ['/apis/ingress.v3.haproxy.org/v3/backends', '/apis/ingress.v1.haproxy.org/v1/backends'],
  },
  advice: {
    taken: 'move it to the Ingress, or use the custom annotation dialect, which leaves it alone',
    ports: 'use one Service a port, or the custom annotation dialect',
  },
})
