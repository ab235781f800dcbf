// Makes certificates: a CA, and serving certificates that it signs. EC P-256, since new connections are cheaper with
// it. When to make them, and where to keep them, is left to others; so is the clock.
import 'reflect-metadata'
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'

/** Certificate and private key, both PEM. */
export interface PemPair {
  cert: string
  key: string
}

export interface Validity {
  notBefore: Date
  notAfter: Date
}

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }

export async function createAuthority(commonName: string, validity: Validity): Promise<PemPair> {
  const keys = await generateKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return toPem(certificate, keys.privateKey)
}

export async function createServingCertificate(options: {
  authority: PemPair
  dnsNames: readonly string[]
  validity: Validity
}): Promise<PemPair> {
  const { authority, dnsNames, validity } = options
  const issuer = new x509.X509Certificate(authority.cert)
  const keys = await generateKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    // names are in the SAN alone: a common name holds 64 characters, and nobody reads it
    subject: [{ O: ['zonefirst'] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value }))),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return toPem(certificate, keys.privateKey)
}

/** The certificate, if cert and key can be read and belong together. */
export function readPair({ cert, key }: PemPair): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(cert)
    return certificate.checkPrivateKey(createPrivateKey(key)) ? certificate : undefined
  } catch {
    return undefined
  }
}

/** Whether certificates can be signed with its key, as they are here. */
export function isAuthority({ ca, publicKey }: X509Certificate): boolean {
  return ca && publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1'
}

function generateKeys() {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
}

function importKey(pem: string) {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', der, keyAlgorithm, false, ['sign'])
}

async function toPem(certificate: x509.X509Certificate, key: webcrypto.CryptoKey): Promise<PemPair> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', key)
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
  }
}
