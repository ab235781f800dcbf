// Settings that every program has.
import { integer, oneOf, type SettingsTable, string } from './settings.ts'

export const commonSettings = {
  listenAddress: {
    env: 'ZONEFIRST_LISTEN_ADDRESS',
    parse: string,
    default: '::',
    help: 'The address to listen on.',
  },
  probesPort: {
    env: 'ZONEFIRST_PROBES_PORT',
    parse: integer({ min: 0, max: 65535 }),
    default: 8080,
    help: 'The port for /livez, /readyz and /metrics; 0 takes any free one.',
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
