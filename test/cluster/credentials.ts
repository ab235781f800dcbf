// Who may talk to the API server, and with what: static tokens, kubeconfigs, the key that signs service accounts.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { apiServerAddress } from './network.ts'

/** Each has a kubeconfig of its name. */
export const users = {
  admin: { name: 'admin', groups: ['system:masters'] },
  kubelet: { name: 'kubelet', groups: ['system:masters'] },
  scheduler: { name: 'system:kube-scheduler', groups: ['system:masters'] },
  'controller-manager': { name: 'system:kube-controller-manager', groups: ['system:masters'] },
  coredns: {
    name: 'system:serviceaccount:kube-system:coredns',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
  },
}
export type User = keyof typeof users

export interface Credentials {
  tokenFile: string
  serviceAccountKey: string
  serviceAccountPublicKey: string
  /** The API server makes its certificate itself: it is there a moment after its start. */
  certificate: string
  kubeconfig: (user: User) => string
  writeKubeconfigs: () => Promise<void>
}

export async function createCredentials(folder: string): Promise<Credentials> {
  const tokens = Object.keys(users).map((user) => [user, randomBytes(16).toString('hex')] as [User, string])
  const keys = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const file = (name: string) => join(folder, name)
  const kubeconfig = (user: User) => file(`${user}.kubeconfig`)
  await Promise.all([
    writeFile(file('service-account.key'), keys.privateKey),
    writeFile(file('service-account.pub'), keys.publicKey),
    writeFile(
      file('tokens.csv'),
      tokens
        .map(([user, token]) => `${token},${users[user].name},${user},"${users[user].groups}"\n`)
        .join(''),
    ),
  ])

  return {
    tokenFile: file('tokens.csv'),
    serviceAccountKey: file('service-account.key'),
    serviceAccountPublicKey: file('service-account.pub'),
    certificate: file('apiserver.crt'),
    kubeconfig,
    async writeKubeconfigs() {
      const authority = (await readFile(file('apiserver.crt'))).toString('base64')
      await Promise.all(
        tokens.map(([user, token]) =>
          writeFile(kubeconfig(user), kubeconfigOf(authority, token, users[user].name)),
        ),
      )
    },
  }
}

function kubeconfigOf(authority: string, token: string, user: string): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'zonefirst-test',
        cluster: { server: `https://${apiServerAddress}`, 'certificate-authority-data': authority },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: user, context: { cluster: 'zonefirst-test', user } }],
    'current-context': user,
  }
  return JSON.stringify(config, null, 2)
}
