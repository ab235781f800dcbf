import t from 'tap'
import {
  afterConflict,
  afterRemoval,
  afterWrite,
  mayWrite,
  otherManagers,
  type Reverts,
} from '../../../annotator/plan/reverts.ts'
import { deepFreeze } from '../../fixtures/freeze.ts'

const minute = 60_000
const gone = (version: string) => ({ value: undefined, version })
const ours = { value: 'ours', version: '10' }
const written = deepFreeze(afterWrite({}, ours, 0))

/** A tool that takes the annotation away `after` ms, each time that it is written; what it comes to until `end`. */
function fight(after: number, end: number) {
  const writes: number[] = []
  const told: number[] = []
  let reverts: Reverts = {}
  let now = 0
  let version = 10
  while (now <= end) {
    const verdict = mayWrite(deepFreeze(reverts), gone(String(version)), now)
    reverts = verdict.reverts
    if (verdict.isNew) told.push(now)
    if (verdict.wait > 0) {
      now += verdict.wait
      continue
    }
    writes.push(now)
    reverts = afterWrite(deepFreeze(reverts), { value: 'ours', version: String(++version) }, now)
    now += after
    version++
  }
  return { writes, told }
}

t.test('the first write waits for nothing', async (t) => {
  t.strictSame(mayWrite({}, gone('9'), 0), { reverts: {}, wait: 0 })
})

t.test('a change of what we want is nobody’s revert', async (t) => {
  t.strictSame(mayWrite(written, { value: 'ours', version: '12' }, minute), { reverts: written, wait: 0 })
})

t.test('a cache that does not show our write yet is none either', async (t) => {
  t.strictSame(mayWrite(written, gone('9'), 1_000), { reverts: written, wait: 4_000 })
  t.equal(mayWrite(written, gone('9'), 6_000).wait, 0, 'unless it never does: versions may have been reset')
})

t.test('two reverts are answered at once, then it takes ever longer, up to minutes', async (t) => {
  const { writes, told } = fight(1_000, 30 * minute)
  const gaps = writes.slice(1).map((at, index) => (at - (writes[index] ?? 0) - 1_000) / 1_000)
  t.strictSame(gaps, [0, 0, 10, 20, 40, 80, 160, 300, 300, 300, 300])
  t.strictSame(told, [3_000], 'it is told once, at the third')
  const within = writes.filter((at) => at < minute).length
  t.equal(within, 5, 'within a minute')
})

t.test('a slow tool is told of too', async (t) => {
  t.strictSame(fight(10 * minute, 60 * minute).told, [30 * minute])
})

t.test('what happened long ago is forgotten', async (t) => {
  t.strictSame(fight(61 * minute, 600 * minute).told, [])
})

t.test('a revert that is not answered yet is the same one at each look', async (t) => {
  const first = mayWrite({ ...written, count: 2, seenAt: 0 }, gone('12'), 1_000)
  t.match(first, { wait: 10_000, reason: 'AnnotationRemoved', isNew: true })
  const second = mayWrite(first.reverts, gone('13'), 5_000)
  t.strictSame(second, { reverts: first.reverts, wait: 6_000, reason: 'AnnotationRemoved' })
  t.strictSame(mayWrite(first.reverts, gone('13'), 11_000), { reverts: first.reverts, wait: 0 })
})

t.test('what we took back ourselves counts for nothing', async (t) => {
  t.equal(mayWrite(afterRemoval(written), gone('12'), 1_000).reverts.count, undefined)
})

t.test('an annotation that somebody else owns is let be, until its value changes', async (t) => {
  const theirs = { value: 'theirs', version: '12' }
  const taken = deepFreeze(afterConflict(written, theirs, 0))
  t.match(mayWrite(taken, { ...theirs, version: '99' }, 1_000), { wait: 299_000, reason: 'AnnotationTaken' })
  t.match(mayWrite(taken, { value: 'other', version: '13' }, 1_000), { wait: 0 })
  t.match(mayWrite(taken, gone('13'), 1_000), { wait: 0 })
  t.match(mayWrite(taken, theirs, 301_000), { wait: 0 }, 'it may have been given up')
  const unseen = afterConflict({}, gone('9'), 0)
  t.match(mayWrite(unseen, gone('9'), 1_000), { wait: 4_000, reason: 'AnnotationTaken' })
  t.equal('taken' in afterWrite(taken, ours, 0), false)
})

t.test('who else writes it', async (t) => {
  const time = (seconds: number) => new Date(seconds * 1_000)
  const entries = [
    { manager: 'helm', operation: 'Update', time: time(1) },
    { manager: 'zonefirst-annotator', operation: 'Apply', time: time(9) },
    { manager: 'gitops', operation: 'Update', time: time(5) },
    { manager: 'helm', operation: 'Update', time: time(3) },
    { manager: 'controller', subresource: 'status', operation: 'Update', time: time(8) },
  ]
  t.strictSame(otherManagers(entries), ['gitops', 'helm'])
  t.strictSame(otherManagers(undefined), [])
})
