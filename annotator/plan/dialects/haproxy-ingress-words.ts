// Pure: jcmoraisjr's haproxy-ingress. Its servers carry their options themselves, of which a template inherits none, and of
// several snippets for the same place it takes one.

import type { Refusal } from '../reasons.ts'
import type { Read, Said, UserSettings } from '../user-settings.ts'
import type { ControllerWords } from './controller-words.ts'
import { isOurSnippet } from './snippet.ts'

export const haproxyIngressWords: ControllerWords = {
  prefixes: ['haproxy-ingress.github.io/', 'ingress.kubernetes.io/'],
  backendName: ({ namespace, service, port }) => `${namespace}_${service}_${port.targetPort ?? port.port}`,
  snippet: 'config-backend-early',
  balance: 'balance-algorithm',
  maxconn: 'maxconn-server',
  backendResource: undefined,
  dividesMaxconn: false,
  staticCookie,
  refuse,
}

const isOn = (value: string) => /^(1|t|T|TRUE|true|True)$/.test(value)
const isNumber = (value: string) => Number(value) > 0
const isGiven = (value: string) => value !== ''

/** Settings that say something of each server, and whether a value does. */
const serverOptions: Readonly<Record<string, (value: string) => boolean>> = {
  'agent-check-port': isNumber,
  'backend-protocol': (value) => !['', 'h1', 'http'].includes(value.toLowerCase()),
  'blue-green-balance': isGiven,
  'blue-green-cookie': isGiven,
  'blue-green-deploy': isGiven,
  'blue-green-header': isGiven,
  'health-check-addr': isGiven,
  'health-check-port': isNumber,
  'maxconn-server': isNumber,
  'maxqueue-server': isNumber,
  'proxy-protocol': (value) => value.startsWith('v'),
  'secure-backends': isOn,
  'service-upstream': isOn,
  'source-address-intf': isGiven,
}

function refuse({ read, readAll }: UserSettings): Refusal | undefined {
  for (const [name, counts] of Object.entries(serverOptions)) {
    const option = read(name).find(({ value }) => counts(value))
    if (option === undefined) continue
    const message = `${name} (set ${option.where}) says something of each server, which the zone's own servers would not follow: take it off, or keep this Service out`
    return { reason: 'ServerOptions', message }
  }
  const scaling = read('dynamic-scaling').find(({ value }) => value.toLowerCase() === 'add')
  if (scaling !== undefined) {
    const message = `dynamic-scaling (set ${scaling.where}) is "add", by which new pods of all zones would become normal servers: set it to "slots"`
    return { reason: 'ServerOptions', message }
  }
  // the first hides ours or is hidden by it, whichever stands nearer to the Service; beside the second ours is left out
  for (const name of ['config-backend', 'config-backend-late']) {
    const other = readAll(name).find(({ value }) => !isOurSnippet(value))
    if (other === undefined) continue
    const message = `${name} (set ${other.where}) is the one text that the controller takes at that place: move it to config-backend-early, which stands beside zonefirst's (0.16 and later)`
    return { reason: 'SnippetTaken', message }
  }
  return undefined
}

/** A dynamic cookie holds what is worked out of the pod's address, other ones the server's name. */
function staticCookie(read: Read): Said | undefined {
  if (!read('affinity').some(({ value }) => value === 'cookie')) return undefined
  return read('session-cookie-dynamic').find(({ value }) => !isOn(value))
}
