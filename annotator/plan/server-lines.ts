// Pure: the lines that make a HAProxy take the pods of its own zone as normal servers and all others as backup. The
// ValidationRules object in manifests/ holds the same lines as a template of the controller's: a test compares.

export type AddressFamily = 'ipv4' | 'ipv6'

export interface ServerLines {
  /** the name to resolve, see zonal-host.ts */
  host: string
  slots: number
  /** the pods' port, as a headless name translates none */
  port: number
  family: AddressFamily
}

/**
 * One backend's block. HAProxy expands ZONE and ZONE_RESOLVERS from its environment, so one text serves every zone, and
 * where either is missing or empty the block is skipped. `backup` stands on `default-server` because servers that the
 * controller fills in at run time take it from there; the template's own checks make the death of a pod known before
 * DNS tells it.
 */
export function serverLines({ host, slots, port, family }: ServerLines): string[] {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: HAProxy expands them, not we
  const zone = '${ZONE}'
  const resolvers = '${ZONE_RESOLVERS}'
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
  return [
    `.if !streq("${resolvers}","") && !streq("${zone}","")`,
    'option allbackups',
    'option redispatch 1',
    'default-server backup',
    [
      `server-template local-${port}- ${slots} "${host}:${port}"`,
      `no-backup resolvers "${resolvers}" resolve-prefer ${family} init-addr none`,
      'check inter 1s fall 2 rise 1 observe layer4 error-limit 1 on-error mark-down',
    ].join(' '),
    '.endif',
  ]
}
