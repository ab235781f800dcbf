// The annotator's settings, each declared once.

import { commonSettings } from '../lib/common-settings.ts'
import { boolean, duration, integer, list, oneOf, type SettingsTable, string } from '../lib/settings.ts'

export const settings = {
  ...commonSettings,
  dialect: {
    env: 'ZONEFIRST_DIALECT',
    parse: oneOf('haproxytech-custom-annotation', 'haproxytech-snippet'),
    default: 'haproxytech-custom-annotation',
    help: 'How the servers are handed to the controller: the custom annotation needs version 3.2 and the ValidationRules object.',
  },
  ingressController: {
    env: 'ZONEFIRST_INGRESS_CONTROLLER_NAME',
    parse: string,
    default: 'haproxy.org/ingress-controller',
    help: 'The spec.controller of the IngressClasses that count; with /<name> behind it, they count too.',
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
    help: 'The namespace of this program, for the list of zones that the admission policy reads.',
  },
} as const satisfies SettingsTable
