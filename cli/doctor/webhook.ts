// Pure: whether the API server shows the webhook every pod, reaches it and trusts it.
import { X509Certificate } from 'node:crypto'
import { trustedCertificates } from '../../certs/bundle.ts'
import { endpointSliceServiceLabel, roleLabel } from '../../lib/names.ts'
import type { Inspection } from '../inspection.ts'
import { type Check, type Finding, unseen } from './finding.ts'
import { matches } from './label-selector.ts'

const subject = 'MutatingWebhookConfiguration zonefirst'
const soon = 7 * 24 * 3_600_000

export const webhookConfiguration: Check = ({ webhook }) => {
  if ('value' in webhook) return []
  if (webhook.missing === 'forbidden') {
    return [unseen('webhook-configuration', subject, 'get mutatingwebhookconfigurations')]
  }
  return [
    {
      check: 'webhook-configuration',
      severity: 'error',
      subject,
      problem: 'is not there, so no pod is stamped as it is bound',
      fix: 'install zonefirst again (docs/install.md)',
    },
  ]
}

export const failurePolicy: Check = ({ webhook }) =>
  webhooksOf(webhook).flatMap(({ name, failurePolicy: policy, timeoutSeconds = 10 }): Finding[] => {
    const found = { check: 'webhook-failure-policy' as const, subject: `webhook ${name}` }
    if (policy !== 'Ignore') {
      const problem = `has failurePolicy ${policy ?? 'Fail'}: while the webhook is away, no pod starts`
      return [{ ...found, severity: 'error', problem, fix: 'set failurePolicy to Ignore' }]
    }
    if (timeoutSeconds <= 5) return []
    const problem = `may keep each pod waiting for ${timeoutSeconds} s while the webhook is away`
    return [{ ...found, severity: 'warning', problem, fix: 'set timeoutSeconds to 2' }]
  })

export const webhookEndpoints: Check = ({ webhook, snapshot }) => {
  const services = new Set(
    webhooksOf(webhook).flatMap(({ clientConfig: { service } }) =>
      service ? [`${service.namespace}/${service.name}`] : [],
    ),
  )
  return [...services].flatMap((key) => {
    const [namespace, name] = key.split('/')
    const slices = snapshot.slices.filter(
      ({ metadata }) =>
        metadata.namespace === namespace && metadata.labels?.[endpointSliceServiceLabel] === name,
    )
    const ready = slices
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready)
    if (ready.length > 0) return []
    return [
      {
        check: 'webhook-endpoints',
        severity: 'error' as const,
        subject: `Service ${key}`,
        problem: 'has no ready pod behind it, so no pod is stamped as it is bound',
        fix: `see why the webhook’s pods are not ready: kubectl -n ${namespace} describe deployment ${name}`,
      },
    ]
  })
}

/** That the bundle holds the authority of the certificate, that it is for the Service's name, and that it isn't over soon. */
export const webhookCertificate: Check = ({
  webhook,
  servingCertificate,
  snapshot: { takenAt, systemNamespace },
}) => {
  if (!('value' in webhook)) return []
  const check = 'webhook-certificate' as const
  const secret = `Secret ${systemNamespace}/zonefirst-webhook-tls`
  const renew =
    'see the Certificate in that namespace (cert-manager), or the pods of zonefirst-certs (self-managed)'
  const bundle = { check, severity: 'error' as const, subject, fix: `${renew}: they write the caBundle` }
  const empty = webhooksOf(webhook).filter(({ clientConfig }) => !clientConfig.caBundle)
  if (empty.length > 0) {
    return [{ ...bundle, problem: 'has no caBundle, so the API server trusts no webhook' }]
  }
  if (!('value' in servingCertificate)) {
    if (servingCertificate.missing === 'forbidden')
      return [unseen(check, secret, `get the Secret zonefirst-webhook-tls in ${systemNamespace}`)]
    return [
      {
        check,
        severity: 'error',
        subject: secret,
        problem: 'is not there: the webhook can’t serve',
        fix: renew,
      },
    ]
  }
  const serving = parse(servingCertificate.value)
  if (serving === undefined) {
    return [{ check, severity: 'error', subject: secret, problem: 'holds no certificate', fix: renew }]
  }
  const findings: Finding[] = []
  const trusted = trustedCertificates(webhook.value)
    .map(parse)
    .filter((each) => each !== undefined)
  if (!trusted.some((authority) => serving.verify(authority.publicKey))) {
    findings.push({ ...bundle, problem: 'does not trust the certificate that the webhook serves with' })
  }
  const end = serving.validToDate.getTime()
  if (takenAt >= end || takenAt < serving.validFromDate.getTime()) {
    const problem = `is not valid now (${serving.validFrom} to ${serving.validTo})`
    findings.push({ check, severity: 'error', subject: secret, problem, fix: renew })
  } else if (end - takenAt < soon) {
    const problem = `ends on ${serving.validTo}, and should have been renewed by now`
    findings.push({ check, severity: 'warning', subject: secret, problem, fix: renew })
  }
  const name = `zonefirst-webhook.${systemNamespace}.svc`
  if (serving.checkHost(name) === undefined) {
    findings.push({ check, severity: 'error', subject: secret, problem: `is not for ${name}`, fix: renew })
  }
  return findings
}

export const webhookAnswers: Check = ({ trial, webhook }) => {
  if (!('value' in webhook)) return []
  const found = { check: 'webhook-answers' as const, subject }
  if (trial.outcome === 'stamped') return []
  if (trial.outcome === 'impossible') {
    const problem = `could not be tried with a pod that is never stored: ${trial.why}`
    return [{ ...found, severity: 'note', problem, fix: 'ask for the permission to create pods in default' }]
  }
  return [
    {
      ...found,
      severity: 'error',
      problem:
        'a pod on trial came back without a stamp: the API server can’t reach the webhook, or does not trust it',
      fix: 'let the API server reach port 10250 of the webhook’s pods (firewalls, network policies), and see the API server’s log for "zonefirst"',
    },
  ]
}

/** Pods in namespaces that the webhook is never shown. */
export const excludedNamespaces: Check = ({ webhook, namespaces, snapshot }) => {
  if (!('value' in namespaces)) return []
  const labels = new Map(namespaces.value.map(({ metadata }) => [metadata.name ?? '', metadata.labels]))
  const selectors = webhooksOf(webhook).map(({ namespaceSelector }) => namespaceSelector)
  const isExcluded = (name: string) => selectors.some((selector) => !matches(selector, labels.get(name)))
  const byNamespace = Map.groupBy(snapshot.pods, ({ metadata }) => metadata.namespace ?? '')
  return [...byNamespace]
    .filter(([name]) => isExcluded(name))
    .map(([name, pods]) => {
      const proxies = pods.filter(({ metadata }) => metadata.labels?.[roleLabel] === 'proxy').length
      const who =
        proxies > 0
          ? `${proxies} ingress controllers in it run without their zone`
          : `${pods.length} pods that opted in are not stamped as they are bound`
      return {
        check: 'excluded-namespace',
        severity: proxies > 0 ? 'error' : 'warning',
        subject: `Namespace ${name}`,
        problem: `is never shown to the webhook, so ${who}`,
        fix: 'move them to another namespace, or take this one out of excludedNamespaces',
      }
    })
}

function webhooksOf(webhook: Inspection['webhook']) {
  return 'value' in webhook ? (webhook.value.webhooks ?? []) : []
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}
