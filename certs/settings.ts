// The settings of the self-managed certificates, each declared once.

import { commonSettings } from '../lib/common-settings.ts'
import { boolean, duration, type SettingsTable, string } from '../lib/settings.ts'

const hourMs = 3_600_000

export const settings = {
  ...commonSettings,
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
    help: 'How often Secrets and caBundle are looked at, besides every time that one of them changes.',
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
} as const satisfies SettingsTable
