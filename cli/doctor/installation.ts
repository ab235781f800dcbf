// Pure: whether zonefirst's own parts are there: the annotator and who leads it, the admission policies.
import type { Inspection } from '../inspection.ts'
import { type Check, type Finding, unseen } from './finding.ts'

const policyNames = [
  'zonefirst-annotator-pods',
  'zonefirst-annotator-services',
  'zonefirst-servers-annotation',
  'zonefirst-zonal-names',
  'zonefirst-zonal-services',
]

export const annotator: Check = ({ snapshot, installation, webhook }) => {
  const subject = `Deployment ${snapshot.systemNamespace}/zonefirst-annotator`
  const found = { check: 'annotator' as const, subject }
  const { annotator: deployment } = snapshot
  if ('missing' in deployment) {
    if (deployment.missing === 'forbidden') {
      return [unseen('annotator', subject, `get Deployments in ${snapshot.systemNamespace}`)]
    }
    const elsewhere = 'value' in webhook ? ', or name its namespace by --system-namespace' : ''
    const fix = `install zonefirst again (docs/install.md)${elsewhere}`
    return [{ ...found, severity: 'error', problem: 'is not there, so nothing follows the cluster', fix }]
  }
  const findings: Finding[] = []
  if (installation.fault !== undefined) {
    const problem = `can’t start with its settings: ${installation.fault}`
    findings.push({
      ...found,
      severity: 'error',
      problem,
      fix: 'set them right (values.yaml of the chart lists them)',
    })
  }
  const { readyReplicas = 0 } = deployment.value.status ?? {}
  const { replicas = 1 } = deployment.value.spec ?? {}
  const fix = `kubectl -n ${snapshot.systemNamespace} describe deployment zonefirst-annotator`
  if (readyReplicas === 0) {
    const problem = 'has no pod that is ready, so nothing follows the cluster'
    findings.push({ ...found, severity: 'error', problem, fix })
  } else if (readyReplicas < replicas) {
    const problem = `has ${readyReplicas} of ${replicas} pods ready: no other can take over`
    findings.push({ ...found, severity: 'warning', problem, fix })
  }
  return findings
}

/** A Lease that nobody holds, or whose holder is silent. The clock is of this machine. */
export const leader: Check = ({ snapshot, lease }) => {
  const subject = `Lease ${snapshot.systemNamespace}/zonefirst-annotator`
  const found = { check: 'leader' as const, subject }
  const isRunning = 'value' in snapshot.annotator && (snapshot.annotator.value.status?.readyReplicas ?? 0) > 0
  if (!isRunning) return []
  if ('missing' in lease && lease.missing === 'forbidden') {
    return [unseen('leader', subject, `get Leases in ${snapshot.systemNamespace}`)]
  }
  const spec = 'value' in lease ? lease.value.spec : undefined
  const fix = 'see the annotator’s log: it has to reach the API server and may get and update its Lease'
  if (!spec?.holderIdentity) {
    return [{ ...found, severity: 'error', problem: 'is held by nobody, so nobody writes', fix }]
  }
  const silent = snapshot.takenAt - Date.parse(String(spec.renewTime))
  const patience = 3_000 * (spec.leaseDurationSeconds ?? 15)
  if (silent <= patience) return []
  const problem = `was renewed ${Math.round(silent / 1_000)} s ago by ${spec.holderIdentity}, so nobody writes (or this machine’s clock is wrong)`
  return [{ ...found, severity: 'error', problem, fix }]
}

export const admissionPolicies: Check = ({ policies, policyBindings }) => {
  const check = 'admission-policies'
  const all = 'ValidatingAdmissionPolicies'
  if (!('value' in policies) || !('value' in policyBindings)) {
    return [unseen(check, all, 'list validatingadmissionpolicies and validatingadmissionpolicybindings')]
  }
  const bound = new Set(
    policyBindings.value
      .filter(({ spec }) => spec?.validationActions?.includes('Deny'))
      .map(({ spec }) => spec?.policyName),
  )
  return policyNames.flatMap((name): Finding[] => {
    const isThere = policies.value.includes(name)
    if (isThere && bound.has(name)) return []
    return [
      {
        check,
        severity: 'warning',
        subject: `ValidatingAdmissionPolicy ${name}`,
        problem: isThere
          ? 'denies nothing, for want of a binding that says Deny'
          : 'is not there, so others may write what only the annotator should',
        fix: 'install it again (docs/install.md), unless admissionPolicies.enabled was set to false on purpose',
      },
    ]
  })
}

/** Programs of different versions may misunderstand each other. */
export const versions: Check = (inspection) => {
  const own = versionsOf(inspection).filter(({ what }) => what.startsWith('zonefirst'))
  const different = new Set(own.map(({ version }) => version))
  if (different.size < 2) return []
  return [
    {
      check: 'versions',
      severity: 'warning',
      subject: 'Programs of zonefirst',
      problem: `are of ${different.size} versions: ${own.map(({ what, version }) => `${what} ${version}`).join(', ')}`,
      fix: 'see that the rollout of each Deployment has ended, and upgrade all together',
    },
  ]
}

export interface Version {
  what: string
  version: string
}

/** Each once, as images and statistics tell them. */
export function versionsOf({ snapshot, systemPods, stats = [] }: Inspection): Version[] {
  const rows: Version[] = [{ what: 'Kubernetes', version: snapshot.version }]
  for (const { metadata, spec } of 'value' in systemPods ? systemPods.value : []) {
    const program = metadata.labels?.['app.kubernetes.io/name']
    if (!program?.startsWith('zonefirst') || metadata.deletionTimestamp) continue
    rows.push({ what: program, version: tagOf(spec?.containers[0]?.image ?? '') })
  }
  for (const { metadata, spec } of snapshot.pods) {
    if (metadata.labels?.['zonefirst.io/role'] !== 'proxy') continue
    rows.push({ what: 'ingress controller', version: tagOf(spec?.containers[0]?.image ?? '') })
  }
  for (const { version } of stats) if (version !== undefined) rows.push({ what: 'HAProxy', version })
  const seen = new Map(rows.map((row) => [`${row.what} ${row.version}`, row]))
  return [...seen.values()]
}

function tagOf(image: string): string {
  const [, tag] = /:([^/:@]+)(?:@.*)?$/.exec(image) ?? []
  return tag ?? /@(.{19})/.exec(image)?.[1] ?? image
}
