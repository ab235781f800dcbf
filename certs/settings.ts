// The settings of the self-managed certificates, each declared once.
import { boolean, duration, integer, oneOf, type SettingsTable, string } from '../lib/settings.ts'

const hourMs = 3_600_000

export const settings = {
  once: {
    env: 'ZONEFIRST_CERTS_ONCE',
    parse: boolean,
    default: false,
    help: 'Whether to end after one successful pass instead of keeping watch.',
  },
  interval: {
    env: 'ZONEFIRST_CERTS_INTERVAL',
    parse: duration,
    default: 60_000,
    help: 'How often Secrets and caBundle are looked at.',
  },
  namespace: {
    env: 'ZONEFIRST_NAMESPACE',
    parse: string,
    default: 'zonefirst-system',
    help: 'The namespace of the webhook’s Service and of both Secrets.',
  },
  service: {
    env: 'ZONEFIRST_CERTS_SERVICE',
    parse: string,
    default: 'zonefirst-webhook',
    help: 'The webhook’s Service: the certificate is for its DNS names, the Secrets are named <service>-ca and <service>-tls.',
  },
  configuration: {
    env: 'ZONEFIRST_CERTS_CONFIGURATION',
    parse: string,
    default: 'zonefirst',
    help: 'The MutatingWebhookConfiguration whose caBundle is kept.',
  },
  authorityLifetime: {
    env: 'ZONEFIRST_CERTS_AUTHORITY_LIFETIME',
    parse: duration,
    default: 3 * 365 * 24 * hourMs,
    help: 'How long a CA is valid, at least three times as long as a serving certificate; it is renewed when a third is left.',
  },
  servingLifetime: {
    env: 'ZONEFIRST_CERTS_SERVING_LIFETIME',
    parse: duration,
    default: 90 * 24 * hourMs,
    help: 'How long a serving certificate is valid; it is renewed when a third of that is left.',
  },
  overlap: {
    env: 'ZONEFIRST_CERTS_OVERLAP',
    parse: duration,
    default: 10 * 60_000,
    help: 'How long a new CA is in the caBundle before it signs.',
  },
  listenAddress: {
    env: 'ZONEFIRST_LISTEN_ADDRESS',
    parse: string,
    default: '::',
    help: 'The address to listen on for probes.',
  },
  probesPort: {
    env: 'ZONEFIRST_PROBES_PORT',
    parse: integer({ min: 1, max: 65535 }),
    default: 8080,
    help: 'The port for /livez, /readyz and /metrics.',
  },
  kubeconfig: {
    env: 'ZONEFIRST_KUBECONFIG',
    parse: string,
    default: '',
    help: 'A kubeconfig file; without one the pod’s own service account is used.',
  },
  logLevel: {
    env: 'ZONEFIRST_LOG_LEVEL',
    parse: oneOf('debug', 'info', 'warn', 'error'),
    default: 'info',
    help: 'The least severe level that is logged.',
  },
} as const satisfies SettingsTable
