// Certificates for clusters without cert-manager: CA and serving certificate in two Secrets, and the CA in the
// caBundle of the webhook configuration. One call restores whatever is missing or due; it can be repeated at any time,
// by several replicas at once: who comes second with a Secret reads again, and takes what the first one wrote.
import type { V1MutatingWebhookConfiguration, V1Secret } from '@kubernetes/client-node'
import type { Kube } from '../lib/kube.ts'
import { createAuthority, createServingCertificate, type PemPair } from './authority.ts'
import { applyBundle, isTrusted, readConfiguration, trustedCertificates } from './bundle.ts'
import {
  type Authorities,
  backdating,
  bundleOf,
  isServingDue,
  type Policy,
  planAuthority,
  stillValid,
} from './plan.ts'
import { readSecret, textIn, untilAgreed, writeSecret } from './secrets.ts'

export interface SelfManagedOptions {
  kube: Kube
  namespace: string
  authoritySecret: string
  servingSecret: string
  /** Name of the MutatingWebhookConfiguration. */
  configuration: string
  policy: Policy
  now: () => number
  /** Hears what was written, in words. */
  onWrite: (what: string) => void
}

/** The serving certificate that is to be in use. Rejects if something is not as it should be, and can't be made so. */
export async function ensureCertificates(options: SelfManagedOptions): Promise<PemPair> {
  const { kube, onWrite } = options
  const reference = { kube, name: options.configuration }
  const configuration = await readConfiguration(reference)
  const authorities = await untilAgreed(() => ensureAuthorities(options, configuration))
  // before the certificate: the API server has to know a CA before it meets what that signed
  if (configuration && (await applyBundle(reference, configuration, bundleOf(authorities)))) {
    onWrite('the caBundle')
  }
  const serving = await untilAgreed(() => ensureServing(options, authorities))
  if (!configuration) {
    throw new Error(
      `MutatingWebhookConfiguration ${options.configuration} does not exist: apply the manifests.`,
    )
  }
  return serving
}

async function ensureAuthorities(
  options: SelfManagedOptions,
  configuration: V1MutatingWebhookConfiguration | undefined,
): Promise<Authorities> {
  const { kube, namespace, policy, onWrite } = options
  const now = options.now()
  const reference = { kube, namespace, name: options.authoritySecret }
  const secret = await readSecret(reference)
  const found = secret && authoritiesIn(secret)
  const step = planAuthority(found, { policy, now, isTrusted: (cert) => isTrusted(configuration, cert) })
  if (found && step === 'keep') return found

  const make = () => createAuthority('zonefirst-webhook-ca', validity(now, policy.authorityLifetime))
  let made: Authorities
  if (!found || step === 'create') {
    // serving certificates of a lost CA stay trusted until their successors have reached the webhook's files
    const serving = await readSecret({ ...reference, name: options.servingSecret })
    const candidates = [textIn(serving, 'ca.crt'), ...trustedCertificates(configuration)]
    const [previous] = stillValid(candidates, now)
    made = { current: await make(), ...(previous && { previous }) }
  } else if (step === 'prepare') {
    made = { ...found, next: await make() }
  } else if (step === 'promote' && found.next) {
    const [previous] = stillValid([found.current.cert, found.previous], now)
    made = { current: found.next, ...(previous && { previous }) }
  } else {
    made = { current: found.current, ...(found.next && { next: found.next }) }
  }
  await writeSecret(reference, secret, dataOf(made))
  onWrite(`the CA: ${step}`)
  return made
}

async function ensureServing(options: SelfManagedOptions, authorities: Authorities): Promise<PemPair> {
  const { kube, namespace, policy, onWrite } = options
  const now = options.now()
  const reference = { kube, namespace, name: options.servingSecret }
  const secret = await readSecret(reference)
  const found = secret && { cert: textIn(secret, 'tls.crt'), key: textIn(secret, 'tls.key') }
  if (found && !isServingDue(found, { authorities, policy, now })) return found
  const made = await createServingCertificate({
    authority: authorities.current,
    dnsNames: policy.dnsNames,
    validity: validity(now, policy.servingLifetime),
  })
  await writeSecret(reference, secret, {
    'tls.crt': made.cert,
    'tls.key': made.key,
    'ca.crt': authorities.current.cert,
  })
  onWrite('the serving certificate')
  return made
}

function validity(now: number, lifetime: number) {
  return { notBefore: new Date(now - backdating), notAfter: new Date(now + lifetime) }
}

function authoritiesIn(secret: V1Secret): Authorities {
  const next = { cert: textIn(secret, 'next.crt'), key: textIn(secret, 'next.key') }
  const previous = textIn(secret, 'previous.crt')
  return {
    current: { cert: textIn(secret, 'tls.crt'), key: textIn(secret, 'tls.key') },
    ...(next.cert !== '' && { next }),
    ...(previous !== '' && { previous }),
  }
}

function dataOf({ current, next, previous }: Authorities): Record<string, string> {
  return {
    'tls.crt': current.cert,
    'tls.key': current.key,
    ...(next && { 'next.crt': next.cert, 'next.key': next.key }),
    ...(previous && { 'previous.crt': previous }),
  }
}
