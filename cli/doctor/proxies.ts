// Pure: whether the ingress controllers were prepared: their zone, their resolvers section, their ValidationRules.
import { isDeepStrictEqual } from 'node:util'
import { keepPod } from '../../annotator/objects/objects.ts'
import { isTrusted, notTrusted, type ProxyReason, proxyFaultOf } from '../../annotator/plan/proxy-faults.ts'
import { roleLabel, zoneKeyAnnotation } from '../../lib/names.ts'
import type { Inspection } from '../inspection.ts'
import { zoneOfNodes } from '../nodes.ts'
import { needsRules } from '../prerequisites.ts'
import { proxiesOf } from '../proxies.ts'
import type { Pod } from '../snapshot.ts'
import { type Check, type CheckName, type Finding, unseen } from './finding.ts'
import { resolversIn } from './resolvers.ts'

const prepare = 'prepare the ingress controller (docs/install.md)'

export const anyProxies: Check = (inspection) => {
  const wanted = inspection.states.filter(({ mode }) => mode === 'zonal' || mode === 'starting')
  if (proxiesOf(inspection.snapshot).length > 0 || wanted.length === 0) return []
  return [
    {
      check: 'no-proxies',
      severity: 'error',
      subject: 'Ingress controllers',
      problem: `none has opted in, so nobody uses what is written for ${wanted.length} Services`,
      fix: `${prepare}: its pods need the labels zonefirst.io/enabled: "true" and ${roleLabel}: proxy`,
    },
  ]
}

const checkOf: Record<ProxyReason, CheckName> = {
  NotTrusted: 'proxy-not-trusted',
  NotPrepared: 'proxy-not-prepared',
  NodeDNS: 'proxy-node-dns',
  NoZone: 'proxy-no-zone',
  StampedLate: 'proxy-stamped-late',
  ConfigMapUnread: 'proxy-config-map-unread',
}

/** As the annotator's Events have it; whether it can read a ConfigMap, only it knows. */
export const proxyFaults: Check = ({ snapshot, installation }) => {
  const zones = zoneOfNodes(snapshot)
  return proxiesOf(snapshot).flatMap((raw): Finding[] => {
    const pod = keepPod(raw)
    const fault = isTrusted(pod.namespace, installation.proxyNamespaces)
      ? proxyFaultOf(pod, zones, () => false)
      : notTrusted
    if (fault === undefined) return []
    const [problem = '', fix = ''] = fault.message.split(/: (?=add |set |label |restart )/)
    return [{ check: checkOf[fault.reason], severity: 'error', subject: subjectOf(raw), problem, fix }]
  })
}

/** ZONE is there, but not what the stamp says. */
export const zoneVariable: Check = (inspection) =>
  proxiesOf(inspection.snapshot).flatMap((pod) => {
    const variable = variableOf(pod, 'ZONE')
    const path = variable?.valueFrom?.fieldRef?.fieldPath ?? ''
    if (variable === undefined || path === `metadata.annotations['${zoneKeyAnnotation}']`) return []
    return [
      {
        check: 'zone-variable',
        severity: 'error',
        subject: subjectOf(pod),
        problem: `takes ZONE from ${path || (variable.value ?? 'somewhere else')}, where zonal Services are named by the annotation ${zoneKeyAnnotation}`,
        fix: `set ZONE by fieldRef from metadata.annotations['${zoneKeyAnnotation}']`,
      },
    ]
  })

/** A resolvers name that no section has is a fatal error for HAProxy: the controller stays with its last configuration. */
export const resolversSection: Check = (inspection) =>
  proxiesOf(inspection.snapshot).flatMap((pod) => {
    const name = variableOf(pod, 'ZONE_RESOLVERS')?.value
    // a template's servers are there only where HAProxy took the section
    if (!name || hasTemplateServers(inspection, pod) || resolversOf(inspection, pod) !== undefined) return []
    return [
      {
        check: 'resolvers-section',
        severity: 'error',
        subject: subjectOf(pod),
        problem: `names the resolvers section ${name}, which no ConfigMap that it mounts has`,
        fix: 'put manifests/ingress-controller/haproxy-aux.cfg into its auxiliary configuration',
      },
    ]
  })

export const validationRules: Check = (inspection) => {
  const { installation, snapshot, ownRules } = inspection
  if (!needsRules(installation)) return []
  const found = { check: 'validation-rules' as const, severity: 'error' as const, subject: 'ValidationRules' }
  const { validationRules: rules } = snapshot
  if ('missing' in rules) {
    if (rules.missing === 'forbidden') {
      return [unseen(found.check, found.subject, 'list validationrules in ingress.v3.haproxy.org')]
    }
    const problem = 'are unknown to the cluster, so the annotation has no effect'
    const fix =
      'install the ingress controller 3.2 or later with its definitions, or set ZONEFIRST_DIALECT=haproxytech-snippet'
    return [{ ...found, problem, fix }]
  }
  const fix = 'kubectl apply -f manifests/ingress-controller/validation-rules.yaml'
  const named = new Map(proxiesOf(snapshot).map((pod) => [ruleNameOf(pod), pod] as const))
  return [...named].flatMap(([name, pod]): Finding[] => {
    if (name === undefined) {
      return [
        {
          ...found,
          check: 'validation-rules-flag',
          subject: subjectOf(pod),
          problem: 'is started without --custom-validation-rules, so the annotation has no effect',
          fix: 'start it with --custom-validation-rules=<namespace>/zonefirst',
        },
      ]
    }
    const object = rules.value.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === name)
    const subject = `ValidationRules ${name}`
    if (object === undefined) {
      return [
        { ...found, subject, problem: 'is not there, though the ingress controller is told of it', fix },
      ]
    }
    const [theirs, ours] = [object, ownRules].map(({ spec }) => ({
      prefix: spec?.prefix,
      servers: spec?.validation_rules?.servers,
    }))
    if (isDeepStrictEqual(theirs, ours)) return []
    const problem = 'is not the one of this version of zonefirst, so server lines may be wrong or missing'
    return [{ ...found, subject, problem, fix }]
  })
}

/** How large an answer this proxy's HAProxy takes; undefined where its section can't be seen. */
export function resolversOf(inspection: Inspection, pod: Pod) {
  const name = variableOf(pod, 'ZONE_RESOLVERS')?.value
  if (!name) return undefined
  const mounted = new Set(
    (pod.spec?.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
  )
  for (const { metadata, data } of inspection.proxyConfigMaps) {
    if (metadata.namespace !== pod.metadata.namespace || !mounted.has(metadata.name)) continue
    for (const text of Object.values(data ?? {})) {
      const section = resolversIn(text, name)
      if (section !== undefined) return section
    }
  }
  return undefined
}

function subjectOf({ metadata }: Pod): string {
  return `Pod ${metadata.namespace}/${metadata.name}`
}

function variableOf({ spec }: Pod, name: string) {
  return (spec?.containers ?? []).flatMap(({ env = [] }) => env).find((each) => each.name === name)
}

function ruleNameOf({ spec, metadata }: Pod): string | undefined {
  const words = (spec?.containers ?? [])
    .flatMap(({ command = [], args = [] }) => [...command, ...args])
    .join(' ')
  const [, namespace = '', name] =
    /--custom-validation-rules[= ]["']?([^\s/"']+)\/([^\s"']+)/.exec(words) ?? []
  if (name === undefined) return undefined
  return `${namespace.startsWith('$') ? metadata.namespace : namespace}/${name}`
}

function hasTemplateServers({ stats = [] }: Inspection, { metadata }: Pod): boolean {
  return stats
    .filter(({ uid }) => uid === metadata.uid)
    .some(({ servers }) => servers.some(({ server }) => server.startsWith('local-')))
}
