// Pure: what the API server's audit log says of writes: who wrote what, and when.

export interface AuditedWrite {
  user: string
  verb: string
  resource: string
  /** `namespace/name` */
  key: string
  /** when it came and when it was answered, ms since 1970, to the microsecond */
  cameAt: number
  answeredAt: number
  status: number
}

interface AuditEvent {
  verb: string
  user: { username: string }
  objectRef?: { resource?: string; namespace?: string; name?: string; subresource?: string }
  responseStatus?: { code?: number }
  requestReceivedTimestamp: string
  stageTimestamp: string
}

/** Logged are the annotator's writes, and the administrator's patches of pods (not of their status). */
export function auditPolicy(annotator: string): object {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [
      { level: 'Metadata', users: [annotator], verbs: ['create', 'update', 'patch', 'delete'] },
      {
        level: 'Metadata',
        users: ['admin'],
        verbs: ['patch'],
        resources: [{ group: '', resources: ['pods'] }],
      },
      { level: 'None' },
    ],
  }
}

export function parseAudit(line: string): AuditedWrite {
  const {
    verb,
    user,
    objectRef = {},
    responseStatus,
    requestReceivedTimestamp,
    stageTimestamp,
  } = JSON.parse(line) as AuditEvent
  return {
    user: user.username,
    verb,
    resource: objectRef.resource ?? '',
    key: `${objectRef.namespace ?? ''}/${objectRef.name ?? ''}`,
    cameAt: milliseconds(requestReceivedTimestamp),
    answeredAt: milliseconds(stageTimestamp),
    status: responseStatus?.code ?? 0,
  }
}

export interface WritesPerObject {
  writes: number
  objects: number
  /** of one object */
  most: number
  /** some that were written more than once, with how */
  repeated: string[]
}

/** By resource. */
export function writesPerObject(writes: readonly AuditedWrite[]): Record<string, WritesPerObject> {
  const byResource = Map.groupBy(writes, ({ resource }) => resource)
  return Object.fromEntries(
    [...byResource].map(([resource, all]) => {
      const byKey = [...Map.groupBy(all, ({ key }) => key)]
      const most = Math.max(...byKey.map(([, { length }]) => length))
      const repeated = byKey
        .filter(([, { length }]) => length > 1)
        .slice(0, 5)
        .map(([key, writes]) => [key, ...writes.map(({ verb, status }) => `${verb} ${status}`)].join(' '))
      return [resource, { writes: all.length, objects: byKey.length, most, repeated }]
    }),
  )
}

/**
 * From each change's arrival at the API server to that of the first write by `user` of the same object after it, ms: its
 * answer may well come later than what it causes. A change without such a write is left out.
 */
export function delays(writes: readonly AuditedWrite[], user: string): number[] {
  const ofUser = Map.groupBy(
    writes.filter((write) => write.user === user),
    ({ resource, key }) => `${resource} ${key}`,
  )
  return writes
    .filter((write) => write.user !== user)
    .flatMap(({ resource, key, cameAt: changedAt }) => {
      const later = (ofUser.get(`${resource} ${key}`) ?? [])
        .map(({ cameAt }) => cameAt - changedAt)
        .filter((delay) => delay >= 0)
      return later.length > 0 ? [Math.min(...later)] : []
    })
}

/** Date knows no microseconds. */
function milliseconds(timestamp: string): number {
  const [seconds = '', fraction = ''] = timestamp.replace('Z', '').split('.')
  return Date.parse(`${seconds}Z`) + Number(`0.${fraction || '0'}`) * 1_000
}
