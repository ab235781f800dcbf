// Pure: whether the annotator was told in which namespaces ingress controllers live, and whether they do.
import type { Inspection } from '../inspection.ts'
import { proxiesOf } from '../proxies.ts'
import { type Check, type Finding, someOf } from './finding.ts'

const value = 'annotator.settings.proxyNamespaces'

export const proxyNamespaces: Check = ({ installation, snapshot, namespaces }) => {
  const { isInstalled, fault, proxyNamespaces: named } = installation
  if (!isInstalled || fault !== undefined) return []
  const found = { check: 'proxy-namespaces' as const, subject: 'ZONEFIRST_PROXY_NAMESPACES' }
  const used = new Set(proxiesOf(snapshot).map(({ metadata }) => metadata.namespace ?? ''))
  if (named.length === 0) {
    const problem =
      'is not set, so a pod of any namespace that calls itself an ingress controller is taken for one'
    const whose =
      used.size > 0 ? `[${[...used].sort().join(', ')}]` : 'the namespaces of your ingress controllers'
    // most clusters have no tenants, and are right without it
    return [
      {
        ...found,
        severity: 'note',
        problem,
        fix: `where tenants share the cluster, set ${value} to ${whose}`,
      },
    ]
  }
  const missing = named.filter((name) => !used.has(name) && !exists(name, namespaces))
  // where there is no ingress controller at all, another check says so
  const empty = used.size === 0 ? [] : named.filter((name) => !used.has(name) && !missing.includes(name))
  return [
    ...warning(missing, 'which does not exist'),
    ...warning(empty, 'where no pod calls itself an ingress controller'),
  ]

  function warning(names: readonly string[], what: string): Finding[] {
    if (names.length === 0) return []
    const problem = `names ${someOf(names)}, ${what}`
    return [
      {
        ...found,
        severity: 'warning',
        problem,
        fix: `set ${value} to namespaces of your ingress controllers alone`,
      },
    ]
  }
}

/** What can't be looked at is taken to be there. */
function exists(name: string, namespaces: Inspection['namespaces']): boolean {
  return !('value' in namespaces) || namespaces.value.some(({ metadata }) => metadata.name === name)
}
