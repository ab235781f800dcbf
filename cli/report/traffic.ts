// Pure: from counters to what stayed in its zone and what crossed: a server's zone is that of its pod's Node, whatever zone
// the pod serves, so that a lent pod's bytes count as crossed.
import { planLoad } from '../../annotator/load-guard/plan-load.ts'
import { endpointSliceServiceLabel } from '../../lib/names.ts'
import { hostOf } from '../haproxy-stats.ts'
import { zoneKeyOfNodes } from '../nodes.ts'
import type { Snapshot } from '../snapshot.ts'
import type { ProxyCounters } from './counters.ts'

export interface Amount {
  requests: number
  /** both ways */
  bytes: number
}

export interface Traffic {
  kept: Amount
  crossed: Amount
  /** of servers whose address, or whose pod's zone, is not known any more */
  unknown: Amount
  /** bytes a month at the rate of the span, those not known left out; undefined where a span is not known */
  monthly: { all: number; crossed: number } | undefined
  /** share of the bytes that has to cross, as the planner finds it for this traffic */
  least: number | undefined
  /** share of the bytes that would cross if every pod got the same part of every zone's traffic */
  without: number | undefined
}

export interface ServiceTraffic extends Traffic {
  namespace: string
  name: string
}

const month = 30.44 * 24 * 3_600_000

interface Flow extends Amount {
  service: string
  from: string
  /** undefined: not known */
  to: string | undefined
  span: number | undefined
}

export function trafficOf(
  snapshot: Snapshot,
  counters: readonly ProxyCounters[],
  { bound, namespace }: { bound: number; namespace?: string | undefined },
): { services: ServiceTraffic[]; all: Traffic } {
  const flows = flowsOf(snapshot, counters).filter(
    ({ service }) => namespace === undefined || service.startsWith(`${namespace}/`),
  )
  const pods = podZones(snapshot)
  const services = [...Map.groupBy(flows, ({ service }) => service)]
    .map(([key, own]) => {
      const [namespace = '', name = ''] = key.split('/')
      return { namespace, name, ...summed(own), ...bounds(own, pods.get(key) ?? [], bound) }
    })
    .sort((a, b) => bytesOf(b) - bytesOf(a))
  const weigh = (share: 'least' | 'without') => {
    const known = services.filter((each) => each[share] !== undefined)
    const bytes = known.reduce((total, each) => total + bytesOf(each), 0)
    return bytes === 0
      ? undefined
      : known.reduce((total, each) => total + (each[share] ?? 0) * bytesOf(each), 0) / bytes
  }
  return { services, all: { ...summed(flows), least: weigh('least'), without: weigh('without') } }
}

export function bytesOf({ kept, crossed, unknown }: Pick<Traffic, 'kept' | 'crossed' | 'unknown'>): number {
  return kept.bytes + crossed.bytes + unknown.bytes
}

/** Of what is known; undefined where nothing is. */
export function crossedShare({ kept, crossed }: Pick<Traffic, 'kept' | 'crossed'>): number | undefined {
  const known = kept.bytes + crossed.bytes
  return known === 0 ? undefined : crossed.bytes / known
}

function flowsOf(snapshot: Snapshot, counters: readonly ProxyCounters[]): Flow[] {
  const zones = zoneKeyOfNodes(snapshot)
  const zoneOfPod = new Map(
    snapshot.pods.map(({ metadata, spec }) => [metadata.uid, zones.get(spec?.nodeName ?? '')]),
  )
  const zoneOfAddress = new Map(
    snapshot.slices.flatMap(({ endpoints }) =>
      (endpoints ?? []).flatMap(({ addresses, nodeName = '' }) => {
        const zone = zones.get(nodeName)
        return zone === undefined ? [] : addresses.map((address) => [address, zone] as const)
      }),
    ),
  )
  const isService = new Set(snapshot.services.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
  return counters.flatMap(({ uid, span, servers }) => {
    const from = zoneOfPod.get(uid)
    if (from === undefined) return []
    return servers.flatMap(({ backend, address, requests, bytesIn, bytesOut }): Flow[] => {
      const service = serviceOf(backend)
      if (service === undefined || !isService.has(service) || requests === 0) return []
      const to = zoneOfAddress.get(hostOf(address))
      return [{ service, from, to, span, requests, bytes: bytesIn + bytesOut }]
    })
  })
}

/** haproxytech: `<ns>_svc_<service>_<port>` or `<ns>_<ingress>_svc_<service>_<port>`; haproxy-ingress: `<ns>_<service>_<port>`. */
function serviceOf(backend: string): string | undefined {
  const parts = backend.split('_')
  const [namespace, service] =
    parts.length === 4 && parts[1] === 'svc'
      ? [parts[0], parts[2]]
      : parts.length === 5 && parts[2] === 'svc'
        ? [parts[0], parts[3]]
        : parts.length === 3
          ? [parts[0], parts[1]]
          : []
  return namespace && service ? `${namespace}/${service}` : undefined
}

function summed(flows: readonly Flow[]): Omit<Traffic, 'least' | 'without'> {
  const sum = (isOf: (flow: Flow) => boolean): Amount => {
    const own = flows.filter(isOf)
    return {
      requests: own.reduce((total, { requests }) => total + requests, 0),
      bytes: own.reduce((total, { bytes }) => total + bytes, 0),
    }
  }
  const rate = (own: readonly Flow[]) =>
    own.reduce((total, { bytes, span = Number.POSITIVE_INFINITY }) => total + (bytes / span) * month, 0)
  return {
    kept: sum(({ from, to }) => to === from),
    crossed: sum(({ from, to }) => to !== undefined && to !== from),
    unknown: sum(({ to }) => to === undefined),
    monthly: flows.some(({ span }) => span === undefined)
      ? undefined
      : {
          all: rate(flows.filter(({ to }) => to !== undefined)),
          crossed: rate(flows.filter(({ from, to }) => to !== undefined && to !== from)),
        },
  }
}

/** For the traffic as it came to the zones, and the pods as they are. */
function bounds(
  flows: readonly Flow[],
  pods: readonly { name: string; zone: string }[],
  bound: number,
): Pick<Traffic, 'least' | 'without'> {
  const all = flows.reduce((total, { bytes }) => total + bytes, 0)
  if (all === 0 || pods.length === 0) return { least: undefined, without: undefined }
  const shares = new Map<string, number>()
  for (const { from, bytes } of flows) shares.set(from, (shares.get(from) ?? 0) + bytes / all)
  const without = [...shares].reduce(
    (total, [zone, share]) =>
      total + share * (1 - pods.filter((pod) => pod.zone === zone).length / pods.length),
    0,
  )
  const best = planLoad(
    shares,
    pods.map(({ name, zone }) => ({ name, zone, serves: zone, pinned: false })),
    bound,
  )
  return { least: best?.crossing, without }
}

/** Ready pods of each Service, and the zones that they are in. */
function podZones(snapshot: Snapshot): Map<string, { name: string; zone: string }[]> {
  const zones = zoneKeyOfNodes(snapshot)
  const found = new Map<string, Map<string, { name: string; zone: string }>>()
  for (const { metadata, endpoints } of snapshot.slices) {
    const key = `${metadata.namespace}/${metadata.labels?.[endpointSliceServiceLabel]}`
    const pods = found.get(key) ?? new Map()
    found.set(key, pods)
    for (const { addresses, conditions, nodeName = '' } of endpoints ?? []) {
      const [name = ''] = addresses
      const zone = zones.get(nodeName)
      if (conditions?.ready !== false && zone !== undefined) pods.set(name, { name, zone })
    }
  }
  return new Map([...found].map(([key, pods]) => [key, [...pods.values()]]))
}
