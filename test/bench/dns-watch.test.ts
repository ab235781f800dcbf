import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startWatch } from '../../bench/dns/watch.ts'
import { until } from '../cluster/until.ts'

const [local, remote] = ['10.100.0.1', '10.100.0.9']

/** Something that takes requests as a HAProxy does, and has the addresses that a test gives it. */
async function start(t: Test) {
  const state = { addresses: new Set<string>(), answer: '', status: 200 }
  // a socket's path has to be short
  const folder = mkdtempSync(join(tmpdir(), 'zonefirst-watch-'))
  const listen = join(folder, 'http.sock')
  const server = createServer((_request, response) => {
    response.statusCode = state.status
    response.end(state.answer)
  }).listen(listen)
  await once(server, 'listening')
  const haproxy = {
    listen,
    addresses: async () => state.addresses,
    questions: async () => 0,
    stop: async () => {},
  }
  const watch = startWatch({ haproxy, backend: 'web', remote })
  t.teardown(async () => {
    await watch.stop()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return { state, watch }
}

t.test('nothing is missing that isn’t expected', async (t) => {
  const { state, watch } = await start(t)
  state.answer = remote
  await until('requests are answered', () => watch.tally().requests >= 3)
  t.match(watch.tally(), { failed: 0, outside: 0, missingSeconds: 0 })
})

t.test('an address that should be there, and whose pod should answer', async (t) => {
  const { state, watch } = await start(t)
  Object.assign(state, { addresses: new Set([local]), answer: local })
  await until('the address is seen', () => watch.addresses.has(local))
  watch.expect(local)
  const { requests } = watch.tally()
  await until('requests are answered', () => watch.tally().requests >= requests + 3)
  t.match(watch.tally(), { failed: 0, outside: 0, missingSeconds: 0 }, 'it is there')
  Object.assign(state, { addresses: new Set(), answer: remote })
  await until('it is missed', () => watch.tally().missingSeconds > 0 && watch.tally().outside > 0)
  t.equal(watch.tally().failed, 0)
})

t.test('requests that fail', async (t) => {
  const { state, watch } = await start(t)
  Object.assign(state, { status: 503, answer: remote })
  watch.expect(local)
  await until('they are counted', () => watch.tally().failed >= 2)
  t.equal(watch.tally().outside, 0, 'are not answered by another zone')
})
