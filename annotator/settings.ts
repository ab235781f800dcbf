// The annotator's settings, each declared once.

import { commonSettings } from '../lib/common-settings.ts'
import {
  boolean,
  duration,
  integer,
  list,
  number,
  oneOf,
  type SettingsTable,
  string,
  weights,
} from '../lib/settings.ts'

export const settings = {
  ...commonSettings,
  dialect: {
    env: 'ZONEFIRST_DIALECT',
    parse: oneOf('haproxytech-custom-annotation', 'haproxytech-snippet', 'haproxy-ingress-snippet'),
    default: 'haproxytech-custom-annotation',
    help: 'How the servers are handed to the controller: the custom annotation needs version 3.2 and the ValidationRules object.',
  },
  ingressController: {
    env: 'ZONEFIRST_INGRESS_CONTROLLER_NAME',
    parse: string,
    default: '',
    help: 'The spec.controller of the IngressClasses that count, also with /<name> behind it; without it the dialect’s own.',
  },
  ingressClassNames: {
    env: 'ZONEFIRST_INGRESS_CLASS_NAMES',
    parse: list,
    default: ['haproxy'],
    help: 'Class names that count where there is no IngressClass object of that name.',
  },
  ingressWithoutClass: {
    env: 'ZONEFIRST_INGRESS_WITHOUT_CLASS',
    parse: boolean,
    default: false,
    help: 'Whether the controller also takes Ingresses that name no class.',
  },
  graceTime: {
    env: 'ZONEFIRST_GRACE_TIME',
    parse: duration,
    default: 120_000,
    help: 'How long a Service stays routed by zone while not all of its ready pods are stamped, as in a rolling update.',
  },
  releaseTime: {
    env: 'ZONEFIRST_RELEASE_TIME',
    parse: duration,
    default: 60_000,
    help: 'How long zonal Services stay after the annotation is gone: until the last HAProxy has reloaded.',
  },
  loadBound: {
    env: 'ZONEFIRST_LOAD_BOUND',
    parse: number({ min: 1, max: 10 }),
    default: 1.25,
    help: 'The most that a pod may carry by locality, as a multiple of its fair share of the traffic.',
  },
  zoneShares: {
    env: 'ZONEFIRST_ZONE_SHARES',
    parse: weights,
    default: new Map<string, number>(),
    help: 'Shares of the traffic by zone key, such as eu-west-1a=2,eu-west-1b=1; without them the ready proxies’ share.',
  },
  proxyNamespaces: {
    env: 'ZONEFIRST_PROXY_NAMESPACES',
    parse: list,
    default: [] as string[],
    help: 'The namespaces of ingress controllers: elsewhere a pod that calls itself a proxy counts for nothing. Empty: whoever may create pods anywhere is trusted.',
  },
  answerSize: {
    env: 'ZONEFIRST_ANSWER_SIZE',
    parse: integer({ min: 512, max: 65_535 }),
    default: 8_192,
    help: 'The accepted_payload_size of the proxies’ resolvers section: a Service whose zones have more addresses than fit is reported.',
  },
  statsPort: {
    env: 'ZONEFIRST_STATS_PORT',
    parse: integer({ min: 0, max: 65_535 }),
    default: 1_024,
    help: 'The port of the proxies’ statistics, where it is seen whether what is annotated has its effect; 0: nobody looks.',
  },
  effectInterval: {
    env: 'ZONEFIRST_EFFECT_INTERVAL',
    parse: duration,
    default: 60_000,
    help: 'How often the proxies’ statistics are read; what is seen twice in a row is told.',
  },
  dryRun: {
    env: 'ZONEFIRST_DRY_RUN',
    parse: boolean,
    default: false,
    help: 'Whether to write nothing, and log what would be written instead; no Lease is taken.',
  },
  workers: {
    env: 'ZONEFIRST_WORKERS',
    parse: integer({ min: 1, max: 64 }),
    default: 4,
    help: 'How many Services are worked on at once.',
  },
  namespace: {
    env: 'ZONEFIRST_NAMESPACE',
    parse: string,
    default: 'zonefirst-system',
    help: 'The namespace of this program, for its Lease and the list of zones that the admission policy reads.',
  },
  identity: {
    env: 'ZONEFIRST_IDENTITY',
    parse: string,
    default: '',
    help: 'The name under which this replica leads, such as its pod’s; without one a random name is used.',
  },
  leaseDuration: {
    env: 'ZONEFIRST_LEASE_DURATION',
    parse: duration,
    default: 15_000,
    help: 'How long the other replica waits for a leader that is silent.',
  },
  leaseRenewDeadline: {
    env: 'ZONEFIRST_LEASE_RENEW_DEADLINE',
    parse: duration,
    default: 10_000,
    help: 'How long a leader goes on writing without having renewed its Lease; shorter than the lease duration.',
  },
  leaseRetryPeriod: {
    env: 'ZONEFIRST_LEASE_RETRY_PERIOD',
    parse: duration,
    default: 2_000,
    help: 'How often the Lease is renewed, or looked at.',
  },
} as const satisfies SettingsTable
