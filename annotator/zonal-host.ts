// Pure: the name that HAProxy asks the DNS for to find the pods that serve its own zone. One way of several: the one of
// zonal Services, which every DNS of Kubernetes knows.

export interface ZonalHost {
  /** HAProxy itself expands the ZONE in it. */
  write(service: { namespace: string; prefix: string }): string
  /** The prefix in a name that `write` wrote; undefined for any other. */
  prefixOf(host: string): string | undefined
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: HAProxy expands it, not we
const zone = '${ZONE}'

/** `<prefix>-<zone key>` is the name of a headless Service: see zonal-name.ts. */
export const zonalServiceHost: ZonalHost = {
  write: ({ namespace, prefix }) => `${prefix}-${zone}.${namespace}.svc.cluster.local`,
  prefixOf(host) {
    const end = host.indexOf(`-${zone}.`)
    return end > 0 ? host.slice(0, end) : undefined
  },
}
