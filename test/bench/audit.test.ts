import t from 'tap'
import { type AuditedWrite, delays, parseAudit, writesPerObject } from '../../bench/annotator/audit.ts'

const write = (user: string, key: string, cameAt: number, answeredAt = cameAt + 2): AuditedWrite => ({
  user,
  verb: 'patch',
  resource: 'pods',
  key,
  cameAt,
  answeredAt,
  status: 200,
})

t.test('a line of the log, with times to the microsecond', async (t) => {
  const line = JSON.stringify({
    verb: 'patch',
    user: { username: 'admin' },
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web-1' },
    responseStatus: { code: 201 },
    requestReceivedTimestamp: '2026-11-30T10:00:00.000250Z',
    stageTimestamp: '2026-11-30T10:00:00.0025Z',
  })
  const at = Date.parse('2026-11-30T10:00:00Z')
  const { cameAt, answeredAt, ...rest } = parseAudit(line)
  t.strictSame(rest, { user: 'admin', verb: 'patch', resource: 'pods', key: 'shop/web-1', status: 201 })
  t.ok(Math.abs(cameAt - at - 0.25) < 0.001)
  t.ok(Math.abs(answeredAt - at - 2.5) < 0.001)
})

t.test('writes are counted by resource, and the most of one object', async (t) => {
  const writes = [write('we', 'a', 1), write('we', 'b', 2), write('we', 'a', 3)]
  t.match(writesPerObject(writes), {
    pods: { writes: 3, objects: 2, most: 2, repeated: ['a patch 200 patch 200'] },
  })
})

t.test('a delay is that to the next write of the same object', async (t) => {
  const writes = [
    write('we', 'a', 5),
    write('admin', 'a', 10),
    write('admin', 'b', 11),
    write('we', 'b', 12),
    // before the answer to what caused it
    write('we', 'a', 11),
    write('we', 'a', 20),
    write('admin', 'c', 30),
  ]
  t.strictSame(delays(writes, 'we'), [1, 1])
})
