// Pure: haproxytech's ingress controller. Options of servers stand on default-server there, which a template inherits, and
// snippets beside each other.
import type { ControllerWords } from './controller-words.ts'

export const haproxytechWords: ControllerWords = {
  // none counts as well, and so does the one that a ValidationRules object brings, which is ours
  prefixes: ['haproxy.org/', 'ingress.kubernetes.io/', 'haproxy.com/', 'zonefirst.io/', ''],
  backendName: ({ namespace, service, port, standalone }) => {
    const owner = standalone === undefined ? namespace : `${namespace}_${standalone}`
    return `${owner}_svc_${service}_${port.name ?? port.port}`
  },
  snippet: 'backend-config-snippet',
  balance: 'load-balance',
  maxconn: 'pod-maxconn',
  backendResource: 'cr-backend',
  dividesMaxconn: true,
  staticCookie: (read) => read('cookie-persistence-no-dynamic').find(({ value }) => value.trim() !== ''),
  refuse: () => undefined,
}
