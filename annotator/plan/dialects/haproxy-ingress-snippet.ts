// jcmoraisjr's haproxy-ingress: the annotation holds the server lines themselves, for all backends of the Service. It is
// under config-backend, since config-backend-late, the same place's other name, came with version 0.16.
import { haproxyIngressWords } from './haproxy-ingress-words.ts'
import { snippetDialect } from './snippet.ts'

export const haproxyIngressSnippet = snippetDialect({
  annotation: 'haproxy-ingress.github.io/config-backend',
  controller: 'haproxy-ingress.github.io/controller',
  words: haproxyIngressWords,
  // which it has a ConfigMap of only
  reachesTCP: true,
  customResources: { tcps: [], backends: [] },
  advice: {
    taken: 'move it to config-backend-early, which the controller has from 0.16',
    ports: 'use one Service a port',
  },
})
