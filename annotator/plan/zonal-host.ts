// Pure: the name that HAProxy asks the DNS for to find the pods that serve its own zone. One way of several: the one of
// zonal Services, which every DNS of Kubernetes knows.
import { zonalName } from './zonal-name.ts'

export interface ZonalHost {
  /** Without a zone key HAProxy itself puts it in: it expands the ZONE. */
  write(service: { namespace: string; prefix: string }, zoneKey?: string): string
  /** The prefix in a name that `write` wrote; undefined for any other. */
  prefixOf(host: string): string | undefined
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: HAProxy expands it, not we
const ownZone = '${ZONE}'

/** `<prefix>-<zone key>` is the name of a headless Service: see zonal-name.ts. */
export const zonalServiceHost: ZonalHost = {
  write: ({ namespace, prefix }, zone = ownZone) =>
    `${zonalName(prefix, zone)}.${namespace}.svc.cluster.local`,
  prefixOf(host) {
    const end = host.indexOf(zonalName('', `${ownZone}.`))
    return end > 0 ? host.slice(0, end) : undefined
  },
}
