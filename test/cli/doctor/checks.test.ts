import t from 'tap'
import { findingsAfter } from '../../fixtures/planted-faults.ts'

t.test('a healthy cluster is called healthy', async (t) => {
  t.strictSame(
    findingsAfter(() => {}),
    [],
  )
})

t.test('what may not be read is a note', async (t) => {
  const findings = findingsAfter((parts) => {
    for (const part of ['webhook', 'policies', 'policyBindings', 'lease', 'servingCertificate']) {
      Object.assign(parts, { [part]: { missing: 'forbidden' } })
    }
    parts.trial = { outcome: 'impossible', why: 'forbidden' }
    Object.assign(parts.stats[0], { servers: [], failure: 'forbidden' })
  })
  t.strictSame([...new Set(findings.map(({ severity }) => severity))], ['note'])
  t.strictSame(
    findings.map(({ check }) => check),
    ['webhook-configuration', 'leader', 'admission-policies', 'statistics-unread'],
  )
})
