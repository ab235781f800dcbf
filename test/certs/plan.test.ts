import t from 'tap'
import { createAuthority, createServingCertificate } from '../../certs/authority.ts'
import {
  type Authorities,
  backdating,
  bundleOf,
  isServingDue,
  planAuthority,
  stillValid,
} from '../../certs/plan.ts'
import { deepFreeze } from '../fixtures/freeze.ts'

const day = 24 * 3_600_000
const start = Date.UTC(2030, 0, 1)
const policy = deepFreeze({
  dnsNames: ['webhook.zonefirst-system.svc'],
  authorityLifetime: 300 * day,
  servingLifetime: 90 * day,
  overlap: day,
})
const validity = (madeAt: number, lifetime: number) => ({
  notBefore: new Date(madeAt - backdating),
  notAfter: new Date(madeAt + lifetime),
})
const makeAuthority = (madeAt = start) => createAuthority('ca', validity(madeAt, policy.authorityLifetime))

t.test('the steps of a CA', async (t) => {
  const [current, next, previous] = [
    await makeAuthority(),
    await makeAuthority(start + 200 * day),
    await makeAuthority(start - 200 * day),
  ]
  const serving = await createServingCertificate({
    authority: current,
    dnsNames: ['x'],
    validity: validity(start, day),
  })
  const rows: { name: string; authorities?: Authorities; day: number; trusted?: boolean; want: string }[] = [
    { name: 'none yet', day: 0, want: 'create' },
    { name: 'one that has ended', authorities: { current }, day: 300, want: 'create' },
    { name: 'one that is no CA', authorities: { current: serving }, day: 0, want: 'create' },
    {
      name: 'one without its key',
      authorities: { current: { cert: current.cert, key: next.key } },
      day: 0,
      want: 'create',
    },
    { name: 'a fresh one', authorities: { current }, day: 1, want: 'keep' },
    { name: 'before its renewal time', authorities: { current }, day: 199, want: 'keep' },
    { name: 'at its renewal time', authorities: { current }, day: 200, want: 'prepare' },
    {
      name: 'a next one that is broken',
      authorities: { current, next: { cert: next.cert, key: '' } },
      day: 201,
      want: 'prepare',
    },
    { name: 'during the overlap', authorities: { current, next }, day: 200.9, want: 'keep' },
    { name: 'after the overlap', authorities: { current, next }, day: 201, want: 'promote' },
    {
      name: 'after the overlap, but the API server was never told',
      authorities: { current, next },
      day: 201,
      trusted: false,
      want: 'keep',
    },
    {
      name: 'one that ends while the next one was never promoted',
      authorities: { current, next },
      day: 300,
      trusted: false,
      want: 'promote',
    },
    {
      name: 'one that lost its key while there is a next one',
      authorities: { current: { ...current, key: '' }, next },
      day: 200.1,
      want: 'promote',
    },
    {
      name: 'one of a clock that was far ahead',
      authorities: { current: await makeAuthority(start + 10 * day) },
      day: 1,
      want: 'create',
    },
    {
      name: 'one of a clock that is a little ahead',
      authorities: { current: await makeAuthority(start + backdating) },
      day: 0,
      want: 'keep',
    },
    {
      name: 'a previous one that still counts',
      authorities: { current, previous: previous.cert },
      day: 99,
      want: 'keep',
    },
    {
      name: 'a previous one that has ended',
      authorities: { current, previous: previous.cert },
      day: 100,
      want: 'forget-previous',
    },
    {
      name: 'a previous one that is garbage',
      authorities: { current, previous: 'x' },
      day: 1,
      want: 'forget-previous',
    },
  ]
  for (const { name, authorities, day: days, trusted = true, want } of rows) {
    const now = start + days * day
    const step = planAuthority(deepFreeze(authorities), { policy, now, isTrusted: () => trusted })
    t.equal(step, want, name)
  }
})

t.test('when a serving certificate is due', async (t) => {
  const [current, other, old] = [
    await makeAuthority(),
    await makeAuthority(),
    await makeAuthority(start - 250 * day),
  ]
  const make = (dnsNames: readonly string[], issuer = current, madeAt = start) =>
    createServingCertificate({
      authority: issuer,
      dnsNames,
      validity: validity(madeAt, policy.servingLifetime),
    })
  const good = await make(policy.dnsNames)
  const ofOther = await make(policy.dnsNames, other)
  const ofOld = await make(policy.dnsNames, old)
  const rows = [
    { name: 'none', serving: undefined, day: 0, want: true },
    { name: 'a fresh one', serving: good, day: 1, want: false },
    { name: 'before its renewal time', serving: good, day: 59, want: false },
    { name: 'at its renewal time', serving: good, day: 60, want: true },
    { name: 'one without its key', serving: { ...good, key: other.key }, day: 1, want: true },
    { name: 'one for another name', serving: await make(['elsewhere.svc']), day: 1, want: true },
    { name: 'one of another CA', serving: ofOther, day: 1, want: true },
    {
      name: 'one of a clock that was far ahead',
      serving: await make(policy.dnsNames, current, start + day),
      day: 0.5,
      want: true,
    },
    {
      name: 'one of the previous CA, within the overlap',
      serving: ofOther,
      previous: other.cert,
      day: 0.9,
      want: false,
    },
    {
      name: 'one of the previous CA, after the overlap',
      serving: ofOther,
      previous: other.cert,
      day: 1,
      want: true,
    },
    {
      name: 'one of the previous CA, which has ended',
      serving: ofOld,
      previous: old.cert,
      day: 50,
      overlap: 60 * day,
      want: true,
    },
    { name: 'one of neither', serving: ofOther, previous: old.cert, day: 0.5, want: true },
  ]
  for (const { name, serving, previous, day: days, overlap = policy.overlap, want } of rows) {
    const authorities = { current, ...(previous !== undefined && { previous }) }
    const now = start + days * day
    t.equal(isServingDue(serving, { authorities, policy: { ...policy, overlap }, now }), want, name)
  }
})

t.test('certificates that may still be in use', async (t) => {
  const { cert } = await makeAuthority()
  t.strictSame(stillValid([undefined, '', 'garbage', cert], start), [cert])
  t.strictSame(stillValid([cert], start + policy.authorityLifetime), [])
})

t.test('a bundle is PEM whatever its parts end with', async (t) => {
  const pair = (cert: string) => ({ cert, key: 'k' })
  t.equal(bundleOf({ current: pair('A\n') }), 'A\n')
  t.equal(bundleOf({ current: pair('A\n'), next: pair('B'), previous: 'C\n\n' }), 'A\nB\nC\n')
})
