import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import t from 'tap'
import { createAuthority, createServingCertificate, isAuthority, readPair } from '../../certs/authority.ts'

const hourMs = 3_600_000
// certificates hold whole seconds
const now = Math.floor(Date.now() / 1_000) * 1_000
const validity = { notBefore: new Date(now - hourMs), notAfter: new Date(now + 2 * hourMs) }
const longName = `${'service'.padEnd(63, 's')}.${'namespace'.padEnd(63, 'n')}.svc`

t.test('a CA and a serving certificate', async (t) => {
  const authority = await createAuthority('test-ca', validity)
  const ca = new X509Certificate(authority.cert)
  t.ok(isAuthority(ca))
  t.equal(ca.subject, 'CN=test-ca')

  const shorter = { notBefore: new Date(now), notAfter: new Date(now + hourMs) }
  const pair = await createServingCertificate({
    authority,
    dnsNames: ['localhost', longName],
    validity: shorter,
  })
  const serving = new X509Certificate(pair.cert)
  t.ok(serving.checkIssued(ca) && serving.verify(ca.publicKey), 'signed by the CA')
  t.notOk(isAuthority(serving))
  t.equal(serving.subjectAltName, `DNS:localhost, DNS:${longName}`)
  t.strictSame(serving.validFromDate, shorter.notBefore)
  t.strictSame(serving.validToDate, shorter.notAfter)
  t.equal(serving.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')

  const other = await createServingCertificate({ authority, dnsNames: ['localhost'], validity })
  t.not(new X509Certificate(other.cert).serialNumber, serving.serialNumber)

  const server = tls.createServer(pair, (socket) => socket.end()).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = tls.connect({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.cert })
  await once(client, 'secureConnect')
  t.ok(client.authorized, 'a client that trusts the CA takes the connection')
  client.destroy()
})

t.test('pairs that are none', async (t) => {
  const authority = await createAuthority('test-ca', validity)
  const other = await createAuthority('test-ca', validity)
  t.ok(readPair(authority))
  t.equal(readPair({ cert: authority.cert, key: other.key }), undefined, 'key of another')
  t.equal(readPair({ cert: 'garbage', key: other.key }), undefined, 'no certificate')
  t.equal(readPair({ cert: authority.cert, key: '' }), undefined, 'no key')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rsa = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  t.equal(readPair({ cert: authority.cert, key: rsa }), undefined, 'key of another kind')
})
