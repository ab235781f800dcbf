import { EventEmitter, once } from 'node:events'
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { PemPair } from '../../certs/authority.ts'
import { type KeyPair, ServingCertificate } from '../../webhook/certificate.ts'
import { makeCertificates } from '../fixtures/tls.ts'

/** A folder as the kubelet mounts a Secret: files are links into `..data`, a link that is swapped by a rename. */
function mountSecret(folder: string) {
  let version = 0
  return (pair: PemPair) => {
    version += 1
    const data = `..version-${version}`
    mkdirSync(join(folder, data), { recursive: true })
    writeFileSync(join(folder, data, 'tls.crt'), pair.cert)
    writeFileSync(join(folder, data, 'tls.key'), pair.key)
    symlinkSync(data, join(folder, '..data_tmp'))
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
    if (version > 1) return
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(folder, file))
  }
}

async function start(t: Test, folder: string, pollMs: number, clientCAFile = '') {
  const events = new EventEmitter()
  const used: KeyPair[] = []
  const certificate = new ServingCertificate({
    folder,
    pollMs,
    clientCAFile,
    use: (pair) => used.push(pair),
    onLoaded: (loaded) => events.emit('loaded', loaded),
    onError: (error) => events.emit('fault', error),
  })
  t.teardown(() => certificate.stop())
  return { certificate, events, used }
}
const noPoll = 3_600_000

t.test('a swap of the mounted folder is seen by its event', async (t) => {
  const folder = t.testdir()
  const mount = mountSecret(folder)
  const [first, second] = [(await makeCertificates()).serving, (await makeCertificates()).serving]
  mount(first)
  const { certificate, events, used } = await start(t, folder, noPoll)
  await certificate.start()
  t.equal(certificate.current?.toString().trim(), first.cert.trim())

  const loaded = once(events, 'loaded')
  mount(second)
  await loaded
  t.equal(certificate.current?.toString().trim(), second.cert.trim())
  t.strictSame(
    used.map(({ cert }) => cert.toString()),
    [first.cert, second.cert],
  )
})

t.test('a pair that does not match, or is broken, leaves the old one in use', async (t) => {
  const folder = t.testdir()
  const mount = mountSecret(folder)
  const [first, second] = [(await makeCertificates()).serving, (await makeCertificates()).serving]
  mount(first)
  const { certificate, events, used } = await start(t, folder, noPoll)
  await certificate.start()
  const rows = [
    { pair: { cert: second.cert, key: first.key }, want: /tls\.key is not the key of tls\.crt/ },
    { pair: { cert: 'garbage', key: second.key }, want: /can't be used: / },
    { pair: { cert: second.cert, key: '' }, want: /can't be used: / },
  ]
  for (const { pair, want } of rows) {
    const fault = once(events, 'fault')
    mount(pair)
    t.match((await fault)[0].message, want)
    t.equal(certificate.current?.toString().trim(), first.cert.trim())
  }
  t.equal(used.length, 1)

  const loaded = once(events, 'loaded')
  mount(second)
  await loaded
  t.equal(used.length, 2, 'and a good one is taken again')
})

t.test('a pair that the server refuses counts as broken', async (t) => {
  const folder = t.testdir()
  mountSecret(folder)((await makeCertificates()).serving)
  const faults: string[] = []
  const certificate = new ServingCertificate({
    folder,
    pollMs: noPoll,
    use: () => {
      throw new Error('key too small')
    },
    onError: ({ message }) => faults.push(message),
  })
  t.teardown(() => certificate.stop())
  await certificate.start()
  t.equal(certificate.current, undefined)
  t.match(faults, [/can't be used: key too small$/])
})

t.test('a Secret that comes late, and one that goes and comes back, are found by polling', async (t) => {
  const folder = join(t.testdir(), 'not-there-yet')
  const { certificate, events } = await start(t, folder, 10)
  const missing = once(events, 'fault')
  await certificate.start()
  t.match((await missing)[0].message, /ENOENT/)
  t.equal(certificate.current, undefined)

  const { serving } = await makeCertificates()
  const loaded = once(events, 'loaded')
  mkdirSync(folder)
  const mount = mountSecret(folder)
  mount(serving)
  await loaded

  const gone = once(events, 'fault')
  unlinkSync(join(folder, '..data'))
  await gone
  t.equal(certificate.current?.toString().trim(), serving.cert.trim(), 'what was loaded stays')
  const back = once(events, 'loaded')
  mount((await makeCertificates()).serving)
  await back
})

t.test('the clients’ authority is read again as well, and kept where the new one is broken', async (t) => {
  const folder = t.testdir()
  const [{ authority: first, serving }, { authority: second }] = await Promise.all([
    makeCertificates(),
    makeCertificates(),
  ])
  mountSecret(folder)(serving)
  const file = join(folder, 'ca.crt')
  writeFileSync(file, first.cert)
  const { certificate, events, used } = await start(t, folder, 10, file)
  await certificate.start()
  t.equal(used.at(-1)?.clientCA?.toString(), first.cert)

  const fault = once(events, 'fault')
  writeFileSync(file, 'no certificate')
  t.match((await fault)[0].message, /can't be used/)
  t.equal(used.length, 1)

  const loaded = once(events, 'loaded')
  writeFileSync(file, second.cert)
  await loaded
  t.equal(used.at(-1)?.clientCA?.toString(), second.cert)
})
