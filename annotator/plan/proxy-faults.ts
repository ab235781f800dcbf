// Pure: why a proxy doesn't route by zone, and what to do about it. Until then it works as without zonefirst.
import { roleLabel, zoneKeyAnnotation } from '../../lib/names.ts'
import type { Pod } from '../objects/objects.ts'

export type ProxyReason =
  | 'NotTrusted'
  | 'NotPrepared'
  | 'NodeDNS'
  | 'NoZone'
  | 'StampedLate'
  | 'ConfigMapUnread'

export interface ProxyFault {
  reason: ProxyReason
  /** one sentence for people */
  message: string
}

/** Whoever creates such a pod where it is believed moves pods of everybody between zones. Without a list it is everywhere. */
export function isTrusted(namespace: string, proxyNamespaces: readonly string[]): boolean {
  return proxyNamespaces.length === 0 || proxyNamespaces.includes(namespace)
}

/** What is told of a pod that calls itself a proxy where none is expected. */
export const notTrusted: ProxyFault = {
  reason: 'NotTrusted',
  message: `it doesn't count as an ingress controller, since its namespace is none of theirs: add it to the annotator's ZONEFIRST_PROXY_NAMESPACES, or take the label ${roleLabel} off`,
}

/** The first thing that is in the way, or undefined. `isUnread` says of a ConfigMap that it can't be read. */
export function proxyFaultOf(
  pod: Pod,
  zoneOfNode: ReadonlyMap<string, string | undefined>,
  isUnread: (configMap: string) => boolean,
): ProxyFault | undefined {
  const { proxy, nodeName = '' } = pod
  if (proxy === undefined || pod.ended || nodeName === '') return undefined
  if (proxy.missing.length > 0) {
    const message = `its container lacks the variable ${proxy.missing.join(' and ')}, so it routes as without zonefirst: add ZONE (by fieldRef from metadata.annotations['${zoneKeyAnnotation}']) and ZONE_RESOLVERS to the pod template, or take the label ${roleLabel} off`
    return { reason: 'NotPrepared', message }
  }
  if (proxy.hasNodeDNS) {
    const message =
      'its DNS policy gives it the Node’s resolv.conf, in which zonal Services are unknown, so all zones serve: set dnsPolicy to ClusterFirstWithHostNet (with hostNetwork) or ClusterFirst, unless its resolvers section names the cluster’s DNS server'
    return { reason: 'NodeDNS', message }
  }
  const zone = zoneOfNode.get(nodeName)
  // a Node that isn't known yet comes soon
  if (zone === undefined && zoneOfNode.has(nodeName)) {
    const message = `its Node ${nodeName} has no zone label, so it has no ZONE and routes as without zonefirst: label the Node (topology.kubernetes.io/zone) and restart this pod`
    return { reason: 'NoZone', message }
  }
  if (proxy.isStampedLate) {
    const message = `stamped with zone ${pod.zone} after its start, so it has no ZONE or an old one: restart this pod`
    return { reason: 'StampedLate', message }
  }
  const configMaps = [proxy.configMap, proxy.tcpServices].filter((name) => name !== undefined)
  const unread = configMaps.find(isUnread)
  if (unread !== undefined) {
    const message = `its controller's ConfigMap ${unread} can't be read, so settings in it that don't go with zonefirst stay unseen: apply manifests/ingress-controller/annotator-role.yaml in that namespace`
    return { reason: 'ConfigMapUnread', message }
  }
  return undefined
}
