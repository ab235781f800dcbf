import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import t from 'tap'
import { findCluster } from '../../cli/cluster-access.ts'

const none = { kubeconfig: undefined, context: undefined }

function kubeconfig(name: string, current: string, contexts: readonly string[]): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: contexts.map((each) => ({ name: each, cluster: { server: `https://${each}.${name}.test` } })),
    users: [{ name, user: { token: 'secret' } }],
    contexts: contexts.map((each) => ({ name: each, context: { cluster: each, user: name } })),
  })
}

t.test('the cluster that kubectl would take', async (t) => {
  const folder = t.testdir({})
  mkdirSync(join(folder, '.kube'))
  const [home, first, second] = ['.kube/config', 'first', 'second'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(home, kubeconfig('home', 'x', ['x']))
  writeFileSync(first, kubeconfig('first', 'a', ['a', 'b']))
  writeFileSync(second, kubeconfig('second', 'c', ['c']))
  const serverOf = async (choice: typeof none | object, env: Record<string, string>) =>
    (await findCluster({ ...none, ...choice }, env)).server
  const HOME = folder

  t.equal(await serverOf({}, { HOME }), 'https://x.home.test', '~/.kube/config')
  t.equal(await serverOf({}, { HOME, KUBECONFIG: first }), 'https://a.first.test')
  t.equal(await serverOf({ kubeconfig: second }, { HOME, KUBECONFIG: first }), 'https://c.second.test')
  t.equal(await serverOf({ context: 'b' }, { KUBECONFIG: first }), 'https://b.first.test')
  const both = { KUBECONFIG: [first, second].join(delimiter) }
  t.equal(await serverOf({}, both), 'https://a.first.test', 'the first file’s current context')
  t.equal(await serverOf({ context: 'c' }, both), 'https://c.second.test')
  const pod = { HOME: '/nonexistent', KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }
  t.equal(await serverOf({}, pod), 'https://10.96.0.1:443', 'a pod’s own account')

  await t.rejects(findCluster({ ...none, context: 'z' }, both), {
    exitCode: 3,
    message: 'The kubeconfig has no context z, it has a, b, c.',
  })
  writeFileSync(second, 'no: [kubeconfig')
  await t.rejects(findCluster({ ...none, kubeconfig: second }, {}), {
    exitCode: 3,
    message: /can’t be read: [^\n]+\.$/,
  })
  for (const server of ['localhost:6443', 'no address']) {
    writeFileSync(second, kubeconfig('second', 'c', ['c']).replace('https://c.second.test', server))
    await t.rejects(
      findCluster({ ...none, kubeconfig: second }, {}),
      {
        exitCode: 3,
        message: `The kubeconfig’s server ${JSON.stringify(server)} is no address: correct it.`,
      },
      `server ${server}`,
    )
  }
  await t.rejects(findCluster(none, { HOME: '/nonexistent' }), {
    exitCode: 3,
    message: /^There is no kubeconfig/,
  })
})
