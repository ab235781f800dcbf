// Pure: the pods' port number behind each routed port of a primary Service.
import type { V1ServicePort } from '@kubernetes/client-node'
import type { PortReference } from '../objects/routes.ts'
import type { ControllerWords } from './dialects/controller-words.ts'
import type { Input } from './input.ts'
import type { Refusal } from './reasons.ts'

/**
 * The controller's backend names to port numbers. Numbers are those that the EndpointSlices show, since a name may mean
 * different numbers on different pods; a port that the Service does not have is left out, as the controller does.
 */
export function portsByBackend(
  input: Input,
  { backendName }: Pick<ControllerWords, 'backendName'>,
): { ports: Record<string, number> } | { refusal: Refusal } {
  const { namespace = '', name: service = '' } = input.primary.metadata
  const ports: Record<string, number> = {}
  for (const route of input.routes) {
    const port = input.primary.spec?.ports?.find((candidate) => isNamed(candidate, route.port))
    if (port === undefined) continue
    const label = port.name ?? String(port.port)
    const numbers = targetNumbers(input, port)
    const [number] = numbers
    if (number === undefined) {
      const message = `no pod shows what number the target port "${port.targetPort}" of port ${label} has: give the containers a port of that name`
      return { refusal: { reason: 'UnknownTargetPort', message } }
    }
    const [without] = podsWithout(input, port)
    const others = without === undefined ? numbers : [...numbers, `missing on others (${without})`]
    if (others.length > 1) {
      const found = `${others.join(' on some pods and ')}${without === undefined ? ' on others' : ''}`
      const message = `the target port "${port.targetPort}" of port ${label} is ${found}, and one address list can have only one port: use one number`
      return { refusal: { reason: 'SeveralTargetPorts', message } }
    }
    ports[backendName({ namespace, service, port, standalone: route.standalone })] = number
  }
  return { ports }
}

function isNamed(port: V1ServicePort, reference: PortReference): boolean {
  return 'name' in reference ? port.name === reference.name : port.port === reference.number
}

/** Ready pods that have no port of that name: no controller sends them anything, but an address list would. */
function podsWithout({ endpoints }: Input, { name = '' }: V1ServicePort): string[] {
  const having = new Set(endpoints.flatMap(({ ports, pods }) => (ports[name] === undefined ? [] : pods)))
  // no slice shows it where a number is enough
  return having.size === 0 ? [] : endpoints.flatMap(({ pods }) => pods.filter((pod) => !having.has(pod)))
}

function targetNumbers(input: Input, port: V1ServicePort): number[] {
  const seen = new Set<number>()
  for (const slice of input.endpoints) {
    const number = slice.ports[port.name ?? '']
    if (number !== undefined && slice.pods.length > 0) seen.add(number)
  }
  if (seen.size > 0) return [...seen].sort((a, b) => a - b)
  // targetPort is a number or a name in the API, whatever the client's type says
  const target = port.targetPort as number | string | undefined
  return typeof target === 'string' ? [] : [target ?? port.port]
}
