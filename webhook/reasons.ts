// How a review can end. Each exit has one fixed reason, for metrics, logs and tests.

export const reasons = {
  stamped: { level: 'debug', message: 'the zone was set' },
  'already-stamped': { level: 'debug', message: 'the object already has this very stamp' },
  'not-opted-in': { level: 'debug', message: 'the pod does not have the opt-in label' },
  'pod-gone': { level: 'debug', message: 'the pod is gone, or another has its name' },
  'not-bound': { level: 'debug', message: 'the pod has no node yet: its binding will be seen' },
  'mirror-pod': {
    level: 'debug',
    message: 'the pod mirrors a static pod, which only its kubelet may change',
  },
  'not-watched': { level: 'debug', message: 'neither a new pod nor a new binding' },
  'no-target': { level: 'warn', message: 'the binding names no target' },
  'target-not-a-node': { level: 'warn', message: 'the binding is to something that is no Node' },
  'node-gone': { level: 'warn', message: 'the node does not exist' },
  'node-without-zone': { level: 'warn', message: 'the node has no zone label' },
  'malformed-object': { level: 'warn', message: 'the object has no metadata or no name' },
  'lookup-failed': { level: 'warn', message: 'the API server could not be asked about pod or node' },
  'lookup-timeout': { level: 'warn', message: 'the API server did not answer about pod or node in time' },
  shed: { level: 'warn', message: 'too many reviews wait for the API server: the rest is refused' },
  'internal-error': { level: 'error', message: 'an error of the webhook itself' },
  'bad-request': { level: 'warn', message: 'the request was no AdmissionReview' },
} as const satisfies Record<string, { level: 'debug' | 'warn' | 'error'; message: string }>

export type Reason = keyof typeof reasons
