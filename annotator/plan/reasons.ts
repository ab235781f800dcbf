// Pure: why a Service is left alone. One word for metrics and Events, one sentence for people.

export interface Refusal {
  reason: Reason
  message: string
}

interface Handling {
  /** Nobody asked to have such a Service routed, or nothing is wrong: it gets no Event. */
  silent?: true
  /** How long what was written stays: until something else is true, through the grace time, or (default) no moment. */
  patience?: 'endless' | 'grace'
}

const handling = {
  // told when it happens
  AnnotationRemoved: { silent: true },
  AnnotationTaken: {},
  ExternalName: {},
  HashBalancing: {},
  KeptOut: { silent: true },
  NameTaken: {},
  NoIngress: {},
  NoReadyPods: { silent: true, patience: 'endless' },
  NoSelector: {},
  NoZones: { patience: 'grace' },
  // scaled to zero, or the opt-in taken back
  NotOptedIn: { silent: true, patience: 'grace' },
  // an Ingress that is being replaced
  NotRouted: { silent: true, patience: 'grace' },
  OwnLabelInSelector: {},
  // a rollout while webhook or annotator is late
  PodsNotStamped: { patience: 'grace' },
  PublishesNotReadyAddresses: {},
  SeveralPorts: {},
  SeveralTargetPorts: {},
  SharedPods: { patience: 'grace' },
  ServerOptions: {},
  SnippetTaken: {},
  SnippetUndoes: {},
  StaticCookie: {},
  StickTable: {},
  UnknownTargetPort: { patience: 'grace' },
  WriteRejected: {},
} satisfies Record<string, Handling>

export type Reason = keyof typeof handling

export const reasons = Object.keys(handling) as readonly Reason[]

export function handlingOf(reason: Reason): Handling {
  return handling[reason]
}
