// The webhook's settings, each declared once.

import { commonSettings } from '../lib/common-settings.ts'
import { duration, integer, type SettingsTable, string } from '../lib/settings.ts'

const port = integer({ min: 0, max: 65535 })

export const settings = {
  ...commonSettings,
  port: {
    env: 'ZONEFIRST_REVIEW_PORT',
    parse: port,
    default: 10250,
    help: 'The port for reviews: 10250 passes the firewalls of private clusters, which let it through for kubelets; 0 takes any free one.',
  },
  tlsFolder: {
    env: 'ZONEFIRST_TLS_FOLDER',
    parse: string,
    default: '/run/zonefirst/tls',
    help: 'The folder with tls.crt and tls.key, read again whenever they change.',
  },
  clientCAFile: {
    env: 'ZONEFIRST_CLIENT_CA_FILE',
    parse: string,
    default: '',
    help: 'Certificates of the authority that the API server’s client certificate has to come from, read with each new serving certificate; without it anybody may post.',
  },
  lookupTimeout: {
    env: 'ZONEFIRST_LOOKUP_TIMEOUT',
    parse: duration,
    default: 1_500,
    help: 'How long a review may wait for the API server; keep it below timeoutSeconds of the webhook configuration.',
  },
  maxLookups: {
    env: 'ZONEFIRST_MAX_LOOKUPS',
    parse: integer({ min: 1, max: 10_000 }),
    default: 100,
    help: 'How many reviews may wait for the API server at a time; any more that would have to are refused at once, which lets their pods pass unstamped.',
  },
  bodyLimit: {
    env: 'ZONEFIRST_BODY_LIMIT',
    parse: integer({ min: 1_024, max: 64 * 1_048_576 }),
    // the API server takes objects of at most 3 MiB, and a review of a CREATE holds one
    default: 4 * 1_048_576,
    help: 'The largest review that is read, in bytes.',
  },
  drainDelay: {
    env: 'ZONEFIRST_DRAIN_DELAY',
    parse: duration,
    default: 5_000,
    help: 'How long reviews are still taken after SIGTERM, while the API server learns that this pod is going.',
  },
} as const satisfies SettingsTable
