import t from 'tap'
import { missing } from './needs.ts'

t.test('a machine that has everything lacks nothing', async (t) => {
  t.same(missing(process.env), [])
})

t.test('each missing thing has one sentence that says what to install', async (t) => {
  const folder = t.testdir({ sbin: {} })
  // the folders for administrators' programs are looked through in any case
  const faults = missing({ PATH: folder })
  for (const fault of faults) t.match(fault, /^[^.]*: [^.]*(install|name)[^.]*\.$/, fault)
  t.ok(faults.some((fault) => fault.includes('unshare') && fault.endsWith('install the package util-linux.')))
})

t.test('a HAPROXY that is no program is told, whatever else there is', async (t) => {
  const faults = missing({ ...process.env, HAPROXY: '/no/such/program' })
  t.same(faults, ['HAPROXY names /no/such/program, which is no program: correct or unset it.'])
})
