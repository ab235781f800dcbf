// Pure: every check of `doctor`, from what all depends on to single Services.
import type { Inspection } from '../inspection.ts'
import type { Check, Finding } from './finding.ts'
import { admissionPolicies, annotator, leader, versions } from './installation.ts'
import { nodesWithoutZone, unselectedPods, unstampedPods, wrongStamps } from './pods.ts'
import { anyProxies, proxyFaults, resolversSection, validationRules, zoneVariable } from './proxies.ts'
import { proxyNamespaces } from './proxy-namespaces.ts'
import {
  doubleAnnotations,
  orphanedServices,
  refusedServices,
  truncatedAnswers,
  unfinishedServices,
} from './services.ts'
import { templateServers, unreadStatistics, zoneShares } from './statistics.ts'
import {
  excludedNamespaces,
  failurePolicy,
  webhookAnswers,
  webhookCertificate,
  webhookConfiguration,
  webhookEndpoints,
} from './webhook.ts'

const checks: readonly Check[] = [
  webhookConfiguration,
  failurePolicy,
  webhookEndpoints,
  webhookCertificate,
  webhookAnswers,
  annotator,
  leader,
  admissionPolicies,
  versions,
  nodesWithoutZone,
  excludedNamespaces,
  anyProxies,
  proxyNamespaces,
  proxyFaults,
  zoneVariable,
  resolversSection,
  validationRules,
  unstampedPods,
  wrongStamps,
  unselectedPods,
  refusedServices,
  unfinishedServices,
  orphanedServices,
  doubleAnnotations,
  truncatedAnswers,
  unreadStatistics,
  templateServers,
  zoneShares,
]

export function findingsOf(inspection: Inspection): Finding[] {
  return checks.flatMap((check) => check(inspection))
}
